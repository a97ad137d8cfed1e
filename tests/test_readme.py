"""What the README shows can be typed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest


def test_a_newcomer_can_type_the_first_lines_and_a_score_of_her_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(__file__).parent.with_name("README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    typed: dict[str, object] = {}
    exec(blocks[0], typed)
    assert "Comparison(tp=" in capsys.readouterr().out
    (own,) = (block for block in blocks if "class HalfAIC" in block)
    exec(own, typed)
    assert r"\begin{tabular}" in capsys.readouterr().out
    assert ElementTree.parse(tmp_path / "mine.svg").getroot().tag.endswith("svg")
    typed["panel"].close()  # type: ignore[attr-defined]
