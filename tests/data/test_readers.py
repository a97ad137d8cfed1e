"""Files of other kinds, read by pandas: spreadsheets, Feather, Stata and SPSS."""

from __future__ import annotations

import datetime
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest

from bnlab.data import FileFormat, load_data, load_frame
from bnlab.data.readers import read_file

FRAME = pd.DataFrame({"answer": [1, 5, None, 3], "grade": ["low", "high", "low", None], "size": [1.5, 2.5, 3.0, 4.0]})


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "survey.xlsx"
    with pd.ExcelWriter(path) as writer:
        pd.DataFrame({"about": ["a survey"]}).to_excel(writer, sheet_name="notes", index=False)
        FRAME.to_excel(writer, sheet_name="answers", index=False)
        FRAME.to_excel(writer, sheet_name="bare", index=False, header=False)
    return path


def test_the_sheet_with_the_most_cells_is_read_and_another_can_be_chosen(book: Path) -> None:
    found = read_file(book)
    assert (found.sheets, found.format) == (("notes", "answers", "bare"), FileFormat(sheet="answers"))
    assert found.frame["answer"].dtype == "Int64"
    assert found.frame["grade"].tolist()[:3] == ["low", "high", "low"]
    bare = load_frame(book, format=FileFormat(header=False, sheet="bare"))
    assert bare.columns.tolist() == ["column 1", "column 2", "column 3"]
    assert bare["column 3"].tolist() == [1.5, 2.5, 3.0, 4.0]
    assert read_file(book, book.read_bytes()).frame.equals(found.frame)
    with pytest.raises(ValueError, match="no sheet is called 'answer': did you mean 'answers'"):
        load_frame(book, format=FileFormat(sheet="answer"))


def test_a_sheet_without_names_and_with_dates_is_read(tmp_path: Path) -> None:
    rows = pd.DataFrame([[1.5, "yes", datetime.datetime(2020, 1, 2)], [2.5, "yes", datetime.datetime(2021, 1, 2)]])
    rows.to_excel(tmp_path / "bare.xlsx", index=False, header=False)
    found = read_file(tmp_path / "bare.xlsx")
    assert found.format == FileFormat(header=False)
    assert found.frame["column 3"].dt.year.tolist() == [2020, 2021]


def test_a_file_that_is_no_spreadsheet_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "rows.xlsx").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"rows\.xlsx cannot be read as a \.xlsx file: "):
        load_data(tmp_path / "rows.xlsx")
    (tmp_path / "text.xlsx").write_text("a,b")
    with pytest.raises(ValueError, match="its content is no spreadsheet; save it again, or as text"):
        load_data(tmp_path / "text.xlsx")


def test_feather_and_stata_keep_categories(tmp_path: Path) -> None:
    frame = FRAME.assign(grade=pd.Categorical(FRAME["grade"], ["low", "medium", "high"], ordered=True))
    frame.to_feather(tmp_path / "rows.feather")
    frame.to_stata(tmp_path / "rows.dta", write_index=False)
    for name in ("rows.feather", "rows.dta"):
        read = load_frame(tmp_path / name)
        assert read["grade"].cat.categories.tolist()[0] == "low"
        assert read["size"].tolist() == [1.5, 2.5, 3.0, 4.0]


def write_survey(path: Path) -> None:
    """An SPSS file with labels, values that a person marked as missing, gaps, umlauts and dates."""
    frame = pd.DataFrame(
        {
            "wie oft": [1.0, 2.0, 9.0, 4.0, None, 1.0] * 5,
            "jünger": [0.0, 1.0] * 15,
            "Alter": [20.5, 30.0, 41.0] * 10,
            "Ort": ["Köln", "Bonn", "Köln"] * 10,
            "seit": [datetime.date(2020, 1, 2), datetime.date(2021, 3, 4)] * 15,
        }
    )
    often = {1: "nie", 2: "zuweilen", 3: "meist", 4: "immer", 9: "keine Angabe"}
    labels = {"wie_oft": often, "jünger": {0: "nein", 1: "ja"}}
    names = {"wie oft": "wie_oft"}
    pyreadstat.write_sav(
        frame.rename(columns=names), path, variable_value_labels=labels, missing_ranges={"wie_oft": [9]}
    )


def test_an_spss_file_keeps_labels_in_the_order_of_their_codes_and_gaps(tmp_path: Path) -> None:
    write_survey(tmp_path / "umfrage.sav")
    frame = load_frame(tmp_path / "umfrage.sav")
    sent = read_file(Path("umfrage.sav"), (tmp_path / "umfrage.sav").read_bytes())
    pd.testing.assert_frame_equal(sent.frame, frame)
    assert frame["wie_oft"].cat.categories.tolist() == ["nie", "zuweilen", "immer"]
    assert frame["wie_oft"].isna().sum() == 10
    assert frame["jünger"].cat.categories.tolist() == ["nein", "ja"]
    assert frame["Ort"].tolist()[:3] == ["Köln", "Bonn", "Köln"]
    assert frame["Alter"].tolist()[:3] == [20.5, 30.0, 41.0]
    assert frame["seit"].iloc[1] == datetime.date(2021, 3, 4)
    assert not frame.attrs


@pytest.mark.parametrize(
    ("name", "package"),
    [("rows.xlsx", "openpyxl"), ("rows.xls", "xlrd"), ("rows.ods", "odfpy"), ("rows.sav", "pyreadstat")],
)
def test_the_package_that_is_missing_is_named(
    tmp_path: Path, name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    for module in ("openpyxl", "xlrd", "odf", "odf.opendocument", "pyreadstat"):
        monkeypatch.setitem(sys.modules, module, None)
    signature = {"rows.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"}.get(name, b"$FL2")
    if name in ("rows.xlsx", "rows.ods"):
        import zipfile

        with zipfile.ZipFile(tmp_path / name, "w") as file:
            file.writestr("xl/workbook.xml" if name == "rows.xlsx" else "mimetype", "")
            file.writestr("content.xml" if name == "rows.ods" else "x", "")
    else:
        (tmp_path / name).write_bytes(signature + b"\0" * 512)
    with pytest.raises(ImportError, match=rf"reading .*{name} needs {package}: pip install {package}\."):
        load_frame(tmp_path / name)


@pytest.mark.parametrize("names", [["a", "b", "a"], ["a", 1, "1"]])
def test_columns_of_one_name_are_refused_in_a_sheet_as_in_text(names: list[object], tmp_path: Path) -> None:
    frame = pd.DataFrame([["p", 2, 3], ["q", 2, 4]], columns=names)
    frame.to_excel(tmp_path / "rows.xlsx", index=False)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    for name in ("rows.xlsx", "rows.csv"):
        with pytest.raises(ValueError, match=rf"{name}: two columns are called '{names[2]}'; rename one in the file"):
            load_frame(tmp_path / name)
    frame.set_axis(["a", "", None], axis=1).to_excel(
        tmp_path / "rows.xlsx", index=False
    )  # no names are no repeated one
    assert load_frame(tmp_path / "rows.xlsx", format=FileFormat()).shape == (2, 3)
