"""Style sheets of all widgets, which one page may load together."""

from __future__ import annotations

import re
from pathlib import Path

import bnlab
from bnlab.figures import theme

PAGE = Path(bnlab.__file__).parent / "widgets" / "graph" / "page"
SHEETS = {path.name: path.read_text(encoding="utf-8") for path in Path(bnlab.__file__).parent.rglob("*.css")}


def test_no_two_style_sheets_define_the_same_variable() -> None:
    defined = [set(re.findall(r"(--bn-[a-z-]+):", text)) for text in SHEETS.values()]
    assert sum(map(len, defined)) == len(set().union(*defined)) > 10


def test_texts_have_one_of_three_sizes() -> None:
    sizes = {
        int(size)
        for text in SHEETS.values()
        for size in re.findall(r"(?:font-size|font|--bn-(?:small|size|title|bar-text)):[^;]*?(\d+)px", text)
    }
    assert sizes == {theme.SMALL, theme.SIZE, theme.TITLE}
    assert f"name: {theme.SIZE}, small: {theme.SMALL} " in (PAGE / "sizes.js").read_text(encoding="utf-8")


def test_reports_have_the_colours_of_the_widgets() -> None:
    tokens = dict(re.findall(r"(--bn-[a-z]+): (.*);", SHEETS["controls.css"]))
    base, share = re.findall(r"(#\w{6})\) (\d+)%, #000", tokens["--bn-accent"])[0]
    parts = (int(base[i : i + 2], 16) * int(share) / 100 for i in (1, 3, 5))
    mixed = "#" + "".join(f"{round(part):02x}" for part in parts)
    assert mixed == theme.ACCENT
    assert theme.ACCENT in (Path(bnlab.__file__).parents[1] / "docs" / "_static" / "bnlab.css").read_text(
        encoding="utf-8"
    )
    for colour, name in ((theme.MUTED, "--bn-muted"), (theme.RULE, "--bn-rule")):
        assert colour in tokens[name]
