"""Text files as they come: any quoting, any encoding, any width. What is read is what a strict reader finds in them."""

from __future__ import annotations

import codecs
import csv
import io
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.data import load_data, load_frame
from tests.soak import times

pytestmark = pytest.mark.filterwarnings("ignore:.* a guess from its letters")

CELL = st.text("ab1,;\"'\n\r\t \\é\u2028\x0b#", max_size=5)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("csv") / "rows.csv"


def read(path: Path) -> pd.DataFrame | None:
    """Rows of a file, or None when they are refused by an error that names it."""
    try:
        return load_frame(path)
    except ValueError as error:
        if path.name not in str(error):
            raise
        return None


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """Names that differ, one of which is no number, and rows of as many cells."""
    names = draw(st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=4, unique=True))
    return names, draw(st.lists(st.lists(CELL, min_size=len(names), max_size=len(names)), min_size=1, max_size=6))


@given(tables(), st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=times(30, 600))
def test_cells_of_any_text_come_back_as_they_were_written_but_for_outer_blanks(
    path: Path, table: tuple[list[str], list[list[str]]], quoting: int, line_end: str
) -> None:
    names, rows = table
    rows = [["x" + cell.replace("\r", "") for cell in row] for row in rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=quoting, lineterminator=line_end).writerows([names, *rows])
    frame = load_frame(path)
    assert frame.columns.tolist() == names
    rows = [[cell.rstrip(" \t") for cell in row] for row in rows]
    assert frame.to_numpy().tolist() == rows
    data = load_data(path)
    columns = zip(*rows, strict=True)
    assert [variable.states for variable in data.variables] == [tuple(sorted(set(column))) for column in columns]


@given(st.text("ab1,\"'\n\r\t \x00é", max_size=40))
@settings(max_examples=times(40, 1000))
def test_no_line_of_a_text_is_lost_or_made_up(path: Path, text: str) -> None:
    path.write_bytes(f"h,i\n{text}".encode())
    frame = read(path)
    if frame is None:
        return
    assert len(frame) == sum(1 for line in csv.reader(io.StringIO(f"h,i\n{text}")) if line) - 1


@given(st.binary(max_size=60))
@settings(max_examples=times(40, 1000))
def test_bytes_of_any_kind_are_a_table_or_an_error_that_names_the_file(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    frame = read(path)
    assert frame is None or frame.shape[1] >= 1


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
def test_line_ends_of_every_system_are_read(path: Path, line_end: str, mark: bytes) -> None:
    path.write_bytes(mark + line_end.join(["a,b", "x,y", "é,z", ""]).encode())
    assert load_data(path).to_pandas().to_dict("list") == {"a": ["x", "é"], "b": ["y", "z"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a\n"x\ny\n', "quotation mark never closed"),
        ('a,b\n"' + "x,y\n" * 40_000, "line 32770: field larger than field limit"),
        ("a,b\nx,y\rz,w\n", "line 2: .*line end of another system"),
        ("a,b\nx,y\0\n", "line 2: a zero byte is no text"),
        ('a,b\nx,y\n"x,y"\n', "line 3: 1 fields"),
    ],
)
def test_broken_lines_are_refused_in_words(path: Path, text: str, words: str) -> None:
    path.write_bytes(text.encode())
    with pytest.raises(ValueError, match=words):
        load_data(path)


def test_a_name_among_a_hundred_thousand_that_repeats_is_found(path: Path) -> None:
    path.write_text(",".join([*(f"c{i}" for i in range(100_000)), "c77"]) + "\n")
    with pytest.raises(ValueError, match="two columns are called 'c77'"):
        load_frame(path)
