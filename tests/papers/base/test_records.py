"""A file of records keeps what it was given, whatever happens to the disk, the line or the process beside it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.papers.base.grid import Grid, RecordFile
from bnlab.search import run
from tests.faults import as_nobody, disk_of
from tests.soak import times

CELLS = [{"name": name, "seed": seed} for name in "ab" for seed in range(3)]


def evaluate(cell: dict[str, object]) -> dict[str, object]:
    return {"value": [ord(str(cell["name"])), 0.1], "text": "é\n"}


@pytest.fixture
def file(tmp_path: Path) -> RecordFile:
    return RecordFile(tmp_path / "records.jsonl")


def test_records_come_back_as_json_gives_them(file: RecordFile) -> None:
    records = [{"b": 1, "a": [1.5, None, "é"]}, {}, {"2": {"10": 1, "9": 2}}, {"nan": float("inf")}]
    for record in records:
        file.append(record)
    assert RecordFile(file.path).load() == records
    file.append({"n": {10: 1, 9: 2}, "t": (1, 2)})
    assert file.load()[-1] == {"n": {"10": 1, "9": 2}, "t": [1, 2]}


def test_a_full_disk_is_reported_at_any_byte_and_nothing_is_lost(file: RecordFile) -> None:
    whole = run(Grid(CELLS, evaluate, file))
    size = file.path.stat().st_size
    for limit in range(0, size, 17):
        file.path.unlink()
        with disk_of(limit), pytest.raises(OSError, match=r"the \d before it are whole; make room and run again"):
            run(Grid(CELLS, evaluate, file))
        kept = RecordFile(file.path).load()
        assert len(kept) == limit * len(CELLS) // size
        assert run(Grid(CELLS, evaluate, file)).equals(whole)
        assert len(file.load()) == len(CELLS)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A file with the records of all cells, and its content."""
    file = RecordFile(tmp_path_factory.mktemp("whole") / "records.jsonl")
    run(Grid(CELLS, evaluate, file))
    return file.path, file.path.read_bytes()


@given(place=st.integers(0, 10_000), value=st.integers(0, 255))
@settings(max_examples=times(60, 400))
def test_a_changed_byte_never_becomes_a_record(whole: tuple[Path, bytes], place: int, value: int) -> None:
    path, content = whole
    place %= len(content)
    path.write_bytes(content[:place] + bytes([value]) + content[place + 1 :])
    written = [{**cell, **evaluate(cell)} for cell in CELLS]
    try:
        found = RecordFile(path).load()
    except ValueError as error:
        assert "delete the line to have its cell run again" in str(error)  # noqa: PT017
        return
    assert found in (written, written[:-1])


@pytest.mark.parametrize("line", ["[1]", "3", '{"a": 1', '{"a": 2, "~crc32": "00000000"}', "", '{"a": 1}'])
def test_a_line_that_is_no_record_is_named(file: RecordFile, line: str) -> None:
    file.append({"a": 1})
    with file.path.open("a") as end:
        end.write(line + "\n")
    with pytest.raises(ValueError, match="line 2: not a record"):
        RecordFile(file.path).load()


def test_files_of_before_checksums_are_read_and_go_on_with_them(file: RecordFile) -> None:
    file.path.write_text('{"a": 1}\n{"a": 2}\n')
    file.load()
    file.append({"a": 3})
    assert [record["a"] for record in RecordFile(file.path).load()] == [1, 2, 3]
    assert file.path.read_text().count("crc32") == 1


@pytest.mark.parametrize("checked", [True, False])
def test_a_last_record_whose_line_end_an_editor_removed_is_a_record(file: RecordFile, checked: bool) -> None:
    if checked:
        file.append({"a": 1})
        file.append({"a": 2})
    else:
        file.path.write_text('{"a": 1}\n{"a": 2}\n')
    file.path.write_bytes(file.path.read_bytes().removesuffix(b"\n"))
    one, other = RecordFile(file.path), RecordFile(file.path)
    assert one.load() == other.load() == [{"a": 1}, {"a": 2}]
    one.append({"a": 3})
    other.append({"a": 4})
    assert one.news() == [{"a": 4}]
    assert [record["a"] for record in RecordFile(file.path).load()] == [1, 2, 3, 4]


def test_what_others_append_is_news_once(file: RecordFile) -> None:
    other = RecordFile(file.path)
    assert other.news() == []
    file.append({"a": 1})
    assert other.news() == [{"a": 1}]
    assert other.news() == []
    other.append({"a": 2})
    assert file.news() == [{"a": 2}]


def test_a_cell_that_another_process_has_finished_is_not_run(file: RecordFile) -> None:
    mine, calls = Grid(CELLS, evaluate, file), []
    state, _ = mine.step(mine.init())
    run(Grid(CELLS, evaluate, RecordFile(file.path)))
    rest = Grid(CELLS, calls.append, file)
    assert run(rest, state).equals(run(mine))
    assert calls == []


def test_a_cell_that_two_finish_at_once_is_stored_once(file: RecordFile) -> None:
    def while_another_runs(cell: dict[str, object]) -> dict[str, object]:
        run(Grid(CELLS, evaluate, RecordFile(file.path)))
        return {"value": "late"}

    table = run(Grid(CELLS, while_another_runs, file))
    assert len(file.load()) == len(CELLS)
    assert "late" not in table.value.tolist()


def test_a_folder_that_cannot_be_written_to_is_an_error_and_can_be_read() -> None:
    with TemporaryDirectory() as outside:
        check_read_only(Path(outside))


def check_read_only(outside: Path) -> None:
    folder = outside / "results"
    file = RecordFile(folder / "records.jsonl")
    table = run(Grid(CELLS, evaluate, file))
    outside.chmod(0o755)
    file.path.chmod(0o444)
    folder.chmod(0o555)
    with as_nobody():
        assert run(Grid(CELLS, evaluate, RecordFile(file.path))).equals(table)
        for name in ("records.jsonl", "new.jsonl"):
            with pytest.raises(PermissionError, match=name):
                RecordFile(folder / name).append({"a": 1})
    folder.chmod(0o755)
