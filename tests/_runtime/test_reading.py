"""What cannot be read is refused by an error that names it, what is wrong and the way out."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bnlab import load_data, load_network
from bnlab.checkpoint import load_state
from bnlab.data.parquet import ParquetTables
from bnlab.networks import read_bif
from tests.faults import as_nobody

Load = Callable[[Any], Any]

# Each with the ending of its files.
READERS: dict[str, tuple[Load, str]] = {
    "csv": (load_data, ".csv"),
    "parquet": (load_data, ".parquet"),
    "parquet in parts": (ParquetTables, ".parquet"),
    "network": (load_network, ".bif"),
    "packed network": (load_network, ".bif.gz"),
    "bif": (read_bif, ".bif"),
    "state": (load_state, ".state"),
}
EACH = pytest.mark.parametrize(("load", "ending"), READERS.values(), ids=READERS)


@EACH
def test_a_file_that_is_not_there(load: Load, ending: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    os.symlink(tmp_path / f"loop{ending}", tmp_path / f"loop{ending}")
    for name in ("missing", "no/such/folder", "file/below", "loop", "null \0 character", "long" * 1000):
        for path in (tmp_path / f"{name}{ending}", str(tmp_path / f"{name}{ending}")):
            with pytest.raises(FileNotFoundError, match=r"^there is no file '.*: give the path of ") as refused:
                load(path)
            assert len(str(refused.value)) < 400


@EACH
def test_a_folder(load: Load, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"folder{ending}").mkdir()
    monkeypatch.chdir(tmp_path)
    if ending == ".parquet":  # whose parts are files of a folder
        with pytest.raises(ValueError, match=r"0 rows|no rows"):
            load(f"folder{ending}")
        return
    for path in (".", Path(), f"folder{ending}", Path(f"folder{ending}")):
        with pytest.raises(IsADirectoryError, match="' is a folder: give the path of "):
            load(path)


@EACH
def test_a_file_without_the_right_to_read_it(load: Load, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"secret{ending}"
    path.touch(mode=0)
    with as_nobody(), pytest.raises(PermissionError, match=r"secret.*' may not be read .*: change its permissions"):
        load(path)


@EACH
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b" \n\t\n",
        b"\0",
        b"\xff\xfea",
        bytes(3000),
        bytes(range(256)) * 4,
        b"PK\5\6" + bytes(18),
        b"\x1f\x8b",
        b"PAR1\0",
    ],
)
def test_a_file_of_something_else(load: Load, ending: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"something{ending}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"something\.") as refused:
        load(path)
    assert len(str(refused.value)) < 1500


@EACH
@pytest.mark.parametrize("value", [5, 0.5, True, None, ["a.csv"], b"a.csv"])
def test_what_is_no_path(load: Load, ending: str, value: object) -> None:
    with pytest.raises(TypeError, match=r"is a .* and no path: give the path|a pandas DataFrame is needed, not a"):
        load(value)
