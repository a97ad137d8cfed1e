"""Text files as people export them: what is read, and what is refused by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.data import FileFormat, load_data, load_frame
from bnlab.data.packed import TooLarge, unpacked
from bnlab.data.readers import read_file

ROWS = {"A": [0, 1, 1, 0], "B": ["x", "y", "x", "y"]}


@pytest.mark.parametrize(
    "text",
    [
        "A,B\n0,x\n1,y\n1,x\n0,y\n",
        "A B\n0 x\n1 y\n1 x\n0 y\n",
        "A  B\n0   x\n 1 y\n1 x\n0 y\n",
        '"A" "B"\n"1" 0 "x"\n"2" 1 "y"\n"3" 1 "x"\n"4" 0 "y"\n',
        "A\tB\n1\t0\tx\n2\t1\ty\n3\t1\tx\n4\t0\ty\n",
        "A,B,\n0,x,\n1,y,\n1,x,\n0,y,\n",
        "A,B\n0,x,\n1,y,\n1,x,\n0,y,\n",
        '"","A","B"\n"1",0,"x"\n"2",1,"y"\n"3",1,"x"\n"4",0,"y"\n',
        ",A,B\n0,0,x\n1,1,y\n2,1,x\n3,0,y\n",
        "A, B\n0, x\n1, y\n1, x\n0, y\n",
        "A,B,\n0,x\n1,y\n1,x\n0,y\n",
        "A,B,,\n0,x,,\n1,y,,\n1,x,,\n0,y,,\n",
        "A,,B\n0,,x\n1,,y\n1,,x\n0,,y\n",
        ",A,B\n7,0,x\n3,1,y\n9,1,x\n1,0,y\n",
        ',A,B\n"car 1",0,x\n"car 2",1,y\n"car 3",1,x\n"car 4",0,y\n',
        "Unnamed: 0,A,B\n0,0,x\n1,1,y\n2,1,x\n3,0,y\n",
        ",Unnamed: 0,A,B\n4,0,0,x\n5,1,1,y\n6,2,1,x\n7,3,0,y\n",
    ],
)
def test_layouts_of_the_same_rows_give_the_same_frame(text: str) -> None:
    frame = read_file(Path("rows.txt"), text.encode()).frame
    assert {name: column.tolist() for name, column in frame.items()} == ROWS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("0,1,2\n1,1,0\n0,1,2\n", ["0", "1", "2"]),
        ("2019,2020,2021\n1,0,1\n0,1,1\n", ["2019", "2020", "2021"]),
        ("0,1\n1,1\n0,1\n", ["column 1", "column 2"]),
        ("2019,2020\n2019,2021\n2020,2020\n", ["column 1", "column 2"]),
        ("2010,2015\n1,0\n0,1\n", ["2010", "2015"]),
        ("1,2,3\n1,1,0\n1,1,0\n", ["1", "2", "3"]),
        ("1,2,3\n4,5,6\n7,8,9\n", ["column 1", "column 2", "column 3"]),
        (",0,1\n0,1,1\n1,0,1\n", ["0", "1"]),
        (",A\nx,1\nx,2\n", ["column 1", "A"]),
        (",A\n0.5,1\n0.7,2\n", ["column 1", "A"]),
        ("A\n0\n1\n", ["A"]),
    ],
)
def test_names_that_are_numbers_or_missing(text: str, names: list[str]) -> None:
    assert read_file(Path("rows.csv"), text.encode()).frame.columns.tolist() == names


@pytest.mark.parametrize("mark", ["NULL", "null", "None", "nan", "NaN", "N/A", "#N/A", "NA", "?", "*", "-", ".", ""])
def test_a_mark_beside_other_values_is_missing_and_is_shown(tmp_path: Path, mark: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in [(0, "x"), (1, "y"), (mark, mark), (1, "x"), (0, "y")]))
    table = load_data(path, missing="keep")
    assert [variable.states for variable in table.variables] == [(0, 1), ("x", "y")]
    assert table.gaps == {"a": 1, "b": 1}
    assert repr(mark) in repr(table) if mark else "missing in the file" not in repr(table)
    text = load_data(path, missing="keep", missing_marks=["nothing"])
    assert text.gaps == ({"a": 1, "b": 1} if mark == "" else {})


@pytest.mark.parametrize("values", [["None", "Some"], ["-", "+"], ["*", "**", "***"], [".", ",;"]])
def test_a_mark_that_is_the_sense_of_a_column_is_a_value_in_the_whole_file(values: list[str]) -> None:
    cells = [f'"{value}",{i % 2}\n' for i, value in enumerate(values * 3)] + [f'"{values[1]}",{values[0]}\n']
    frame = read_file(Path("rows.csv"), ("a,b\n" + "".join(cells)).encode()).frame
    assert set(frame["a"]) == set(values)
    assert frame["b"].iloc[-1] == values[0]


TEXT = b"A,B\n0,x\n1,y\n1,x\n0,y\n"


def zipped(content: bytes, *names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, content)
    return file.getvalue()


def zst(content: bytes) -> bytes:
    import zstandard  # only where installed

    half = len(content) // 2
    compressed = zstandard.ZstdCompressor().compress
    return compressed(content[:half]) + compressed(content[half:])


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda content: zipped(content, "folder/rows.csv", "__MACOSX/._rows.csv"),
    ".zst": zst,
}


LeftOut = Callable[[str, str], None]


def needs_package(suffix: str, left_out: LeftOut) -> None:
    """Leave a test out if its way of packing needs a package that is not installed."""
    if suffix == ".zst" and find_spec("zstandard") is None:
        left_out("packed files of Zstandard", "pip install zstandard")


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_files_are_read_and_damaged_ones_are_named(tmp_path: Path, suffix: str, left_out: LeftOut) -> None:
    needs_package(suffix, left_out)
    content = PACKERS[suffix](TEXT)
    path = tmp_path / f"rows.csv{suffix}"
    path.write_bytes(content)
    assert load_frame(path).to_dict("list") == ROWS
    (tmp_path / "rows.csv").write_bytes(content)
    assert load_frame(tmp_path / "rows.csv").to_dict("list") == ROWS
    for damaged in (content[:-9], TEXT):
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match=f"is a damaged {suffix} file"):
            load_frame(path)


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_packed_file_is_unpacked_no_further_than_its_limit(suffix: str, left_out: LeftOut) -> None:
    needs_package(suffix, left_out)
    packed = PACKERS[suffix](b"0" * 1001)
    assert len(unpacked(packed, suffix, 1001).data) == 1001
    with pytest.raises(TooLarge):
        unpacked(packed, suffix, 1000)


def test_a_packed_file_does_not_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.bz2"
    path.write_bytes(bz2.compress(b"0" * ((1 << 26) + 1)))
    with pytest.raises(ValueError, match="unpacks to more than 1000 times its size"):
        load_frame(path)


def test_the_one_file_of_an_archive_says_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "rows.zip"
    path.write_bytes(zipped(TEXT, "rows.csv"))
    assert load_frame(path).to_dict("list") == ROWS
    path.write_bytes(zipped(TEXT, "a.csv", "b.csv"))
    with pytest.raises(ValueError, match=r"it has 2 files inside \('a.csv', 'b.csv'\) where one is needed"):
        load_frame(path)
    path.write_bytes(zipped(TEXT, "rows.exe"))
    with pytest.raises(ValueError, match=r"rows.exe' ends in '.exe'"):
        load_frame(path)


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "rows.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd")
    with pytest.raises(ImportError, match="pip install zstandard"):
        load_frame(tmp_path / "rows.csv.zst")


@pytest.mark.parametrize("index", [False, True])
def test_spreadsheets_have_the_marks_and_the_index_columns_of_text_files(tmp_path: Path, index: bool) -> None:
    path = tmp_path / "rows.xlsx"
    rows = {"a": [0, 1, "NULL", 1, 0], "b": ["x", "N/A", "y", "x", None]}
    pd.DataFrame(rows, dtype=object).to_excel(path, index=index)
    table = load_data(path, missing="keep")
    assert [variable.states for variable in table.variables] == [(0, 1), ("x", "y")]
    assert table.gaps == {"a": 1, "b": 2}
    assert "missing in the file: 'NULL', 'N/A'" in repr(table)
    other = load_data(path, missing="keep", missing_marks=["NULL", "y"])
    assert other.variables[1].states == ("N/A", "x")
    assert load_frame(path, format=FileFormat(missing_marks=("NULL",)))["b"].tolist()[1] == "N/A"


def test_marks_that_are_given_hold_for_every_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pd.DataFrame({"a": ["x", "none", "y"]}).to_parquet(path)
    assert load_frame(path, missing_marks=["none"])["a"].isna().tolist() == [False, True, False]


def measurements(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, n)
    return pd.DataFrame({"age": age, "income": np.where(age + rng.normal(0, 9, n) > 50, ">50K", "<=50K")})


@pytest.mark.parametrize(("method", "target"), [("quantile", None), ("width", None), ("mdl", "income")])
def test_whole_numbers_that_look_like_measurements_are_cut(method: Any, target: str | None) -> None:
    table = load_data(measurements(), discretize=method, target=target)
    assert 2 <= table.arities[0] <= 6
    assert all(isinstance(state, str) for state in table.variables[0].states)


def test_without_cuts_they_are_an_error_that_says_what_to_do() -> None:
    frame = measurements()
    with pytest.raises(ValueError, match=r"'age' hold more than 20 .* more than 2% .*discretize=.*category"):
        load_data(frame)
    assert load_data(frame.astype({"age": "category"})).arities[0] == frame["age"].nunique()
    assert load_data(pd.concat([frame] * 20)).arities[0] == frame["age"].nunique()


@pytest.mark.parametrize("options", [{}, {"discretize": "quantile"}])
def test_an_identifier_is_named_with_the_call_that_leaves_it_out(options: dict[str, Any]) -> None:
    frame = measurements().assign(id=range(400))
    with pytest.raises(ValueError, match=r"'id' have another value .*\.drop\(columns=\['id'\]\)"):
        load_data(frame.drop(columns="age"), **options)


FRAME = {
    "n": [1, None, 2, 1],
    "t": ["a", "b", None, "a"],
    "flag": [True, False, True, None],
    "x": [0.5, 1.5, None, 2.0],
}


@pytest.mark.parametrize("package", ["polars", "pyarrow", "polars lazy"])
def test_frames_of_other_packages_are_read(package: str, left_out: Callable[[str, str], None]) -> None:
    if find_spec(package.split()[0]) is None:
        left_out(f"frames of {package}", f"pip install {package}")
    if package == "pyarrow":
        import pyarrow

        frame = pyarrow.table(FRAME)
    else:
        import polars

        frame = polars.DataFrame(FRAME).lazy() if "lazy" in package else polars.DataFrame(FRAME)
    known = frame.collect() if "lazy" in package else frame
    assert bnlab.data.gap_patterns(known).rows.sum() == 4
    table = load_data(frame, missing="keep", discretize="width", bins=2)
    assert [v.states for v in table.variables[:3]] == [(1, 2), ("a", "b"), (False, True)]
    assert table.gaps == {"n": 1, "t": 1, "flag": 1, "x": 1}
    assert bnlab.data.as_table(frame.select(["n", "t"]), "keep").n_rows == 4


def test_rows_of_other_packages_are_predicted() -> None:
    import pyarrow

    frame = pyarrow.table(ROWS)
    net = bnlab.networks.fit([("A", "B")], frame)
    found = net.predict(frame.select(["A"]), "B")
    assert found.equals(net.predict(pd.DataFrame({"A": ROWS["A"]}), "B"))


def test_marks_and_columns_of_a_wrong_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="missing_marks='NA': give a list"):
        load_data(ROWS, missing_marks="NA")
    with pytest.raises(ValueError, match="column 'B' is 'xy': a column is a list"):
        load_data({"A": [0, 1], "B": "xy"})


def test_dicts_and_arrays_with_names_are_read_and_others_say_how() -> None:
    assert load_data(ROWS).names == ("A", "B")
    array = np.array([(0, "x"), (1, "y")], dtype=[("A", "i4"), ("B", "U1")])
    assert [v.states for v in load_data(array).variables] == [(0, 1), ("x", "y")]
    with pytest.raises(TypeError, match="DataFrame"):
        bnlab.learn(np.zeros((3, 2)))


def test_a_given_separator_of_blanks_and_given_marks_are_followed() -> None:
    format = FileFormat(separator=" ", missing_marks=("x",))
    frame = read_file(Path("rows.txt"), b"A B\n0 x\n1 NA\n", format).frame
    assert frame["B"].isna().tolist() == [True, False]
