"""The type of a column of a text file depends on all its cells, and on nothing else."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnlab
from bnlab.data.readers import read_file
from tests.soak import times

BOOLEANS = {"True": True, "False": False, "TRUE": True, "FALSE": False, "true": True, "false": False}
MISSING = {"", "NA", "NaN", "?"}

CELL = st.one_of(
    st.sampled_from(
        ["", "NA", "NaN", "?", " ?", " ", "True", "false", "x", "01", "1", " 1", "1 ", "0", "00", "-1", "+1"]
    ),
    st.sampled_from(["9223372036854775807", "9223372036854775808", "18446744073709551615", "18446744073709551616"]),
    st.sampled_from(["1.5", ".5", "2.", "1e3", "-inf", "1_000", "0x10", "1,5", "١", "--1", "1-"]),
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False).map(str),
)


def is_decimal(text: str) -> bool:
    try:
        return "_" not in text and text.isascii() and Decimal(text).is_nan() is False
    except InvalidOperation:
        return False


def is_whole(text: str) -> bool:
    return text.isascii() and text.lstrip("+-").isdigit() and len(text) - len(text.lstrip("+-")) <= 1


def expected(cells: list[str]) -> list[object]:
    """What a column of these cells holds, read cell by cell."""
    texts = [cell.strip(" \t") for cell in cells]
    known = [text for text in texts if text not in MISSING]
    convert: object = str
    if known and all(text in BOOLEANS for text in known):
        convert = BOOLEANS.__getitem__
    elif all(map(is_whole, known)):
        padded = any(len(text.lstrip("+-")) > 1 and text.lstrip("+-")[0] == "0" for text in known)
        numbers = [int(text) for text in known]
        low, high = min([0, *numbers]), max([0, *numbers])
        fits = (low >= -(2**63) and high < 2**63) or (low >= 0 and high < 2**64)
        convert = int if fits and not padded else str
    elif all(map(is_decimal, known)):
        convert = float
    return [None if text in MISSING else convert(text) for text in texts]  # type: ignore[operator]


@given(st.lists(CELL, min_size=1, max_size=12), st.integers(1, 4))
@settings(max_examples=times(120, 5000))
def test_all_cells_of_a_column_have_the_one_type_that_fits_all_of_them(cells: list[str], repeats: int) -> None:
    cells = cells * repeats
    text = "n,other\n" + "".join(f'"{cell}",x\n' for cell in cells)
    column = read_file(Path("rows.csv"), text.encode()).frame["n"]
    found = [None if missing else value for value, missing in zip(column.tolist(), column.isna(), strict=True)]
    wanted = expected(cells)
    assert found == wanted
    assert {type(value) for value in found} == {type(value) for value in wanted}


@pytest.mark.parametrize("last", ["A1", "2.5", ""])
def test_a_long_and_wide_file_is_read_as_a_short_one_is(tmp_path: Path, last: str) -> None:
    others = "," + ",".join("1" * 100)
    for n in (1_000, 14_000):
        path = tmp_path / f"{n}.csv"
        cells = [("01", "02", "10")[i % 3] for i in range(n - 1)] + [last]
        path.write_text(
            "code," + ",".join(f"v{i}" for i in range(100)) + "\n" + "".join(c + others + "\n" for c in cells)
        )
        assert bnlab.load_frame(path)["code"].dropna().tolist() == [v for v in expected(cells) if v is not None]


@pytest.mark.parametrize("mark", ["", "NA", "NaN", "?", " ?"])
@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30])
def test_large_numbers_beside_a_missing_one_leave_it_missing(tmp_path: Path, mark: str, number: int) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"id,b\n{number},x\n1,y\n{mark},x\n1,y\n")
    variable = (table := bnlab.load_data(path, missing="keep")).variables[0]
    assert set(map(str, variable.states)) == {"1", str(number)}
    assert dict(table.gaps) == {"id": 1}


def test_blanks_after_commas_are_no_part_of_names_and_values(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('age, work, "a, b"\n1, ?, yes\n2, Private , yes\n1, Private, "no, never"\n')
    frame = bnlab.load_frame(path)
    assert frame.columns.tolist() == ["age", "work", "a, b"]
    assert frame["age"].tolist() == [1, 2, 1]
    assert frame["work"].isna().tolist() == [True, False, False]
    assert frame["work"].tolist()[1:] == ["Private", "Private"]
    assert frame["a, b"].tolist() == ["yes", "yes", "no, never"]
