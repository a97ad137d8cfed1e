"""Formats of files: what is written in any of them is detected and read back, and a given format is followed."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.data import FileFormat, load_data, load_frame
from bnlab.data.encodings import ENCODINGS
from bnlab.data.file_format import DECIMALS, SEPARATORS
from bnlab.data.readers import read_file
from tests.soak import times

pytestmark = pytest.mark.filterwarnings("ignore:.* a guess from its letters")

GERMAN = "Ort;Größe;Anteil\nKöln;1,5;12\nMünchen;2,25;7\nNürnberg;;30\n"


def detected(content: bytes) -> FileFormat:
    found = read_file(Path("rows.csv"), content).format
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("encoding", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
    ],
)
def test_a_german_file_is_read_as_it_is(tmp_path: Path, encoding: str, found: str) -> None:
    path = tmp_path / "orte.csv"
    path.write_bytes(GERMAN.encode(encoding))
    assert read_file(path).format == FileFormat(";", ",", found)
    frame = load_frame(path)
    assert frame["Ort"].tolist() == ["Köln", "München", "Nürnberg"]
    assert frame["Größe"].dropna().tolist() == [1.5, 2.25]
    assert frame["Anteil"].dtype == "Int64"
    assert load_data(path, missing="drop", discretize="width", bins=2).variables[1].states == ("<=1.875", ">1.875")


def test_bytes_that_windows_lacks_are_latin_1() -> None:
    assert detected(b"a,b\nx\x81,y\n").encoding == "latin-1"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\nx,y\n", FileFormat()),
        ("a\tb\n1.5\t2\n", FileFormat("\t")),
        ("a|b\nx|y\n", FileFormat("|")),
        ("a;b\n1.5;2\n", FileFormat(";")),
        ("x;y\n1,5;2,5\n3,5;1,25\n", FileFormat(";", ",")),
        ("1,5;2,5\n3,5;4,5\n", FileFormat(";", ",", header=False)),
        ('a,b\n"x;y",1\n"z;w",2\n', FileFormat()),
        ('name\tage\n"a, b"\t3\n"c, d"\t4\n', FileFormat("\t")),
        ("size, cm;weight\n1,5;2\n", FileFormat(";", ",")),
        ("only\nx\ny\n", FileFormat()),
        ("date;price\n01.02.2020;1,5\n03.02.2020;2,5\n", FileFormat(";", ",")),
        ("a;b\n1.234,56;2\n7,5;3\n", FileFormat(";", ",", thousands=".")),
        ("a;b\n1,234.56;2\n7.5;3\n", FileFormat(";", thousands=",")),
        ("a;b\n1.234;2,5\n12.500;3\n", FileFormat(";", ",", thousands=".")),
        ("a;b\n1.234;2\n12.500;3\n", FileFormat(";")),
        ("a;b\n1,234;2\n12,500;3\n", FileFormat(";", ",")),
        ("a;b\n1.234.567;2\n12;3\n", FileFormat(";", ",", thousands=".")),
        ('a,b\n"1,234.56",2\n"12,500",3\n', FileFormat(thousands=",")),
        ('a,b\n"1,5",2\n"12,5",3\n', FileFormat()),
        ("a;b\n1'234.5;2\n12;3\n", FileFormat(";", thousands="'")),
        ("a;b\n1 234,5;2\n12;3\n", FileFormat(";", ",", thousands=" ")),
        ("a;b\n030 123;2\n089 456;3\n", FileFormat(";")),
        ("1.234,5;2\n7,5;3\n", FileFormat(";", ",", header=False, thousands=".")),
        ("sep=;\na;b\nx;y\n", FileFormat(";")),
        ("SEP=,\r\na;b,c;d\r\nx;y,z;w\r\n", FileFormat()),
        ('"sep=|"\na|b\n1.5|2\n', FileFormat("|")),
        ("sep=;\na\nx\n", FileFormat(";")),
    ],
)
def test_separators_and_decimal_marks_are_detected(text: str, found: FileFormat) -> None:
    assert detected(text.encode()) == found


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n6.1,2.8,virginica\n", False),
        ("1,2\n3,4\n", False),
        ("yes,no\nno,no\nyes,no\n", False),
        ('1,0,3,"Braund, Owen",male,22,7.25,\n2,1,1,"Cumings, Jo",female,38,71.3,C85\n3,0,3,x,male,22,8,\n', False),
        ("rain,grass\nno,dry\nyes,wet\n", True),
        ("country,2019,2020\nDE,1.5,2.5\nFR,1.5,2\n", True),
        ("yes,no\n1,0\n0,1\n", True),
    ],
)  # fmt: skip
def test_a_first_line_of_values_is_data(text: str, names: bool) -> None:
    assert detected(text.encode()).header is names
    frame = read_file(Path("rows.csv"), text.encode()).frame
    lines = len(text.splitlines())
    assert len(frame) == lines - names
    assert ("column 1" in frame) is not names


def test_a_given_format_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "orte.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    assert load_frame(path, format=FileFormat(";", ".", "cp1250"))["Größe"].tolist()[:2] == ["1,5", "2,25"]
    assert load_frame(path, format=FileFormat(";", ",", "cp1252", header=False)).columns[0] == "column 1"
    with pytest.raises(ValueError, match=r"line 1: byte 0xf6 is not utf-8; choose another encoding"):
        load_frame(path, format=FileFormat(";", ","))
    with pytest.raises(ValueError, match=r"line 2: 2 fields where the first line has 1 \(the separator is ','\)"):
        load_frame(path, format=FileFormat(encoding="cp1252"))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"separator": "::"}, "separator = '::': one of"),
        ({"decimal": ";"}, "decimal = ';': one of"),
        ({"encoding": "rot13"}, "encoding = 'rot13': one of 'utf-8'"),
        ({"header": 1}, "header = 1: true or false"),
        ({"sheet": 2}, "sheet = 2: text is needed"),
        ({"thousands": ";"}, "thousands = ';': one of"),
        ({"thousands": "."}, "decimal = thousands = '.': the two marks differ"),
    ],
)
def test_a_format_is_checked_when_it_is_made(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        FileFormat(**wrong)


def test_numbers_with_thousands_marks_are_numbers_and_dates_stay_dates(tmp_path: Path) -> None:
    path = tmp_path / "umsatz.csv"
    path.write_bytes(
        "sep=;\r\nDatum;Umsatz;Stück;Version;Code\r\n01.02.2020;1.234,56;1.200;1.2;x\r\n"
        "03.02.2020;-12,5;;1.3;y\r\n04.02.2020;1.234.567,0;25;1.4;2.345\r\n".encode("cp1252")
    )
    frame = load_frame(path)
    assert read_file(path).format == FileFormat(";", ",", "cp1252", thousands=".")
    assert frame["Umsatz"].tolist() == [1234.56, -12.5, 1234567.0]
    assert frame["Stück"].dtype == "Int64"
    assert frame["Stück"].dropna().tolist() == [1200, 25]
    assert frame["Datum"].tolist() == ["01.02.2020", "03.02.2020", "04.02.2020"]
    assert frame["Version"].tolist() == ["1.2", "1.3", "1.4"]
    assert frame["Code"].tolist() == ["x", "y", "2.345"]
    as_text = load_frame(path, format=FileFormat(";", ",", "cp1252"))
    assert as_text["Umsatz"].tolist() == ["1.234,56", "-12,5", "1.234.567,0"]


def test_a_line_that_names_the_separator_counts_as_a_line_of_the_file() -> None:
    with pytest.raises(ValueError, match=r"line 4: 1 fields where the first line has 2 \(the separator is ';'\)"):
        read_file(Path("rows.csv"), b"sep=;\na;b\nx;y\nz\n")
    assert read_file(Path("rows.csv"), b"sep=;\na,b\nx,y\n", FileFormat()).frame.columns.tolist() == ["a", "b"]
    assert read_file(Path("rows.csv"), b"sep=:\na\n").frame.columns.tolist() == ["sep=:"]


def test_only_files_of_text_and_spreadsheets_have_a_format(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="only files have one"):
        load_frame("iris-bezdek", format=FileFormat())
    with pytest.raises(ValueError, match=r"rows\.parquet is no text file and no spreadsheet"):
        load_frame(tmp_path / "rows.parquet", format=FileFormat())


def test_every_encoding_is_one_of_python() -> None:
    for encoding in ENCODINGS:
        assert load_frame_of("a,b\nx,y\n".encode(encoding), FileFormat(encoding=encoding)) == [["x", "y"]]


def load_frame_of(content: bytes, format: FileFormat) -> list[list[str]]:
    values: list[list[str]] = read_file(Path("rows.csv"), content, format).frame.to_numpy().tolist()
    return values


NUMBER = st.decimals(min_value=-1000, max_value=1000, places=2)
WORD = st.text("abcdeäöüß .-", min_size=1, max_size=8).map(lambda text: f"w{text}w")


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1),
    st.sampled_from([(".", ","), (",", "."), (".", "'"), (",", " ")]),
)
def test_amounts_that_python_writes_with_groups_come_back(cents: list[int], marks: tuple[str, str]) -> None:
    decimal, thousands = marks
    swap = str.maketrans({",": thousands, ".": decimal})
    amounts = [cent / 100 for cent in cents]
    lines = ["a;b", *(f"{amount:,.2f}".translate(swap) + ";x" for amount in [*amounts, 1234.5])]
    found = read_file(Path("rows.csv"), "\n".join(lines).encode())
    assert found.format == FileFormat(";", decimal, thousands=thousands)
    assert found.frame["a"].tolist() == [*amounts, 1234.5]


@given(
    st.lists(st.tuples(NUMBER, WORD, NUMBER), min_size=2, max_size=12),
    st.sampled_from(SEPARATORS),
    st.sampled_from(DECIMALS),
    st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
)
@settings(max_examples=times(60, 600))
def test_numbers_and_words_of_any_format_come_back(
    rows: list[tuple[Any, str, Any]], separator: str, decimal: str, encoding: str
) -> None:
    if separator == decimal:
        return
    file = io.StringIO()
    lines = [[str(x).replace(".", decimal), word, str(y).replace(".", decimal)] for x, word, y in rows]
    csv.writer(file, delimiter=separator).writerows([["Größe", "Wort", "Maß"], *lines])
    found = read_file(Path("rows.csv"), file.getvalue().encode(encoding))
    assert found.format is not None
    assert (found.format.separator, found.format.decimal, found.format.header) == (separator, decimal, True)
    assert found.frame.columns.tolist() == ["Größe", "Wort", "Maß"]
    assert found.frame["Größe"].tolist() == [float(x) for x, _, _ in rows]
    assert found.frame["Wort"].tolist() == [word for _, word, _ in rows]
