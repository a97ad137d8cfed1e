"""Style sheets of all widgets, which one page may load together."""

from __future__ import annotations

import re
from pathlib import Path

import bnlab


def test_no_two_style_sheets_define_the_same_variable() -> None:
    sheets = [path.read_text(encoding="utf-8") for path in Path(bnlab.__file__).parent.rglob("*.css")]
    defined = [set(re.findall(r"(--bn-[a-z-]+):", text)) for text in sheets]
    assert sum(map(len, defined)) == len(set().union(*defined)) > 10
