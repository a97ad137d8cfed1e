"""What the README shows can be typed."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import bnlab


def test_a_newcomer_can_type_the_first_lines_and_a_score_of_her_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path(__file__).parent.with_name("README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    typed: dict[str, object] = {}
    exec(blocks[0], typed)
    assert "Comparison(shd_cpdag=" in capsys.readouterr().out
    (own,) = (block for block in blocks if "class HalfAIC" in block)
    exec(own, typed)
    assert r"\begin{tabular}" in capsys.readouterr().out
    assert ElementTree.parse(tmp_path / "mine.svg").getroot().tag.endswith("svg")
    typed["panel"].close()  # type: ignore[attr-defined]


def test_the_lines_about_data_of_ones_own_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(__file__).parent.with_name("README.md").read_text(encoding="utf-8")
    (block,) = (block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "Knowledge" in block)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.choice(["no", "yes"], (300, 3)), columns=["sex", "smoker", "cough"])
    frame.insert(0, "age", rng.normal(50, 12, 300))
    frame.mask(rng.random(frame.shape) < 0.1).to_csv(tmp_path / "survey.csv", index=False)
    monkeypatch.chdir(tmp_path)
    typed = {"bnlab": bnlab, "X": frame[["sex", "smoker"]], "y": frame["cough"]}
    exec(block, typed)
    assert ("smoker", "cough") in typed["learned"].edges
    assert typed["certain"].to_frame().loc["smoker", "cough"] == pytest.approx(1)
    assert typed["gaps"].has_gaps
    assert not typed["completed"].has_gaps
