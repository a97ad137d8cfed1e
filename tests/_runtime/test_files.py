"""Every file is written whole or not at all, and no file is replaced that nobody named."""

from __future__ import annotations

import errno
import os
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import pytest

import bnlab
from bnlab._runtime.files import keep_copy, replace_file, write_new
from bnlab.analysis import Study
from bnlab.checkpoint import save_state
from bnlab.figures.picture import Picture
from bnlab.figures.report import Report
from bnlab.networks import BayesianNetwork
from bnlab.widgets import NetworkGraph, Workbench
from tests.faults import as_nobody, disk_of

LIBRARY = Path(bnlab.__file__).parent
CANCER, ASIA = bnlab.load_network("cancer"), bnlab.load_network("asia")
DATA = ASIA.sample(50, seed=1).to_pandas()


WORKBENCHES: dict[tuple[str, ...], Workbench] = {}


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    for workbench in WORKBENCHES.values():
        workbench.close()
    WORKBENCHES.clear()


def from_workbench(net: BayesianNetwork, write: Callable[[Workbench], object]) -> None:
    if net.names not in WORKBENCHES:
        WORKBENCHES[net.names] = Workbench(DATA)
        WORKBENCHES[net.names].learn("chow-liu", name=str(net.names))
    write(WORKBENCHES[net.names])


def from_graph(path: Path, net: BayesianNetwork) -> None:
    shown = NetworkGraph(net)
    shown.save(path)
    shown.close()


WRITERS: dict[str, Callable[[Path, BayesianNetwork], object]] = {
    "a.study.json": lambda path, net: from_workbench(net, lambda made: made.save(path, overwrite=True)),
    "b.study.json": lambda path, net: Study(source=str(net.names)).save(path),
    "a.ipynb": lambda path, net: from_workbench(net, lambda made: made.export_notebook(path, overwrite=True)),
    "a.html": lambda path, net: from_workbench(net, lambda made: made.export_report(path, overwrite=True)),
    "b.html": lambda path, net: Report(str(net.names)).save(path),
    "a.svg": lambda path, net: Picture(str(net.names), "", 1).save(path),
    "b.svg": from_graph,
    "a.bif": from_graph,
    "a.graphml": from_graph,
    "a.py": from_graph,
    "b.bif": lambda path, net: net.to_bif(path),
    "a.state": lambda path, net: save_state(list(net.names), path),
    "a.parquet": lambda path, net: write_new(path, str(net.names)),
}


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", WRITERS)
def test_a_disk_that_is_full_at_any_byte_leaves_every_old_file_whole(tmp_path: Path, name: str) -> None:
    path, write = tmp_path / name, WRITERS[name]
    write(path, CANCER)
    before = content(tmp_path)
    size = path.stat().st_size
    for limit in (0, 1, size // 2, size - 1):
        with disk_of(limit), pytest.raises(OSError, match=r"File too large: nothing was written.* make room.*'.*\w'"):
            write(path, ASIA)
        assert content(tmp_path) == before
    write(path, ASIA)
    assert content(tmp_path) != before


def test_an_error_while_the_content_is_made_leaves_the_old_file(tmp_path: Path) -> None:
    replace_file(tmp_path / "a", "old")
    for error in (KeyboardInterrupt, ValueError):

        def fail(file: object, error: type[BaseException] = error) -> None:
            raise error

        for write in (replace_file, write_new):
            with pytest.raises(error):
                write(tmp_path / "a", fail)
    assert content(tmp_path) == {"a": b"old"}


def test_permissions_stay_and_new_files_have_those_of_the_user(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        replace_file(tmp_path / "new", "1")
        beside = write_new(tmp_path / "new", "2")
    finally:
        os.umask(old)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "new", beside)] == [0o640, 0o640]
    for mode in (0o600, 0o664):
        (tmp_path / "new").chmod(mode)
        replace_file(tmp_path / "new", "3")
        assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == mode
    assert stat.S_IMODE(keep_copy(tmp_path / "new").stat().st_mode) == 0o664


def test_a_file_that_is_written_to_keeps_its_owner(left_out: Callable[[str, str], NoReturn]) -> None:
    if os.geteuid() != 0:
        left_out("a file that is given to another owner", "run as root")
    with TemporaryDirectory() as folder:
        replace_file(Path(folder, "a"), "1")
        os.chown(Path(folder, "a"), 65534, 65534)
        replace_file(Path(folder, "a"), "2")
        assert (Path(folder, "a").stat().st_uid, Path(folder, "a").read_text()) == (65534, "2")


def test_a_file_that_is_protected_from_writing_is_not_replaced() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "a").write_text("1")
        (folder / "a").chmod(0o444)
        with as_nobody(), pytest.raises(PermissionError, match=f"choose a name .* '{folder}/a'"):
            replace_file(folder / "a", "2")
        assert content(folder) == {"a": b"1"}


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    link = tmp_path / "here" / "link"
    link.symlink_to(tmp_path / "there" / "target")
    for text in ("new", "again"):
        replace_file(link, text)
        assert link.is_symlink()
        assert content(tmp_path / "there") == {"target": text.encode()}
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(OSError, match="symbolic links"):
        replace_file(link, "x")
    assert write_new(link, "x").name == "link-2"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()), daemon=True)
    reader.start()
    Report("page").save(tmp_path / "pipe")
    reader.join(10)
    assert read == ["page"]
    assert (tmp_path / "pipe").is_fifo()


def test_errors_name_the_file_and_the_way_out(tmp_path: Path) -> None:
    for path, told in (
        (tmp_path / "no" / "a", r"No such file or directory: nothing was written.* make its folder first.*'.*/no/a'"),
        (tmp_path, r"Is a directory: .* add the name of a file: '.*'"),
        (tmp_path / ("a" * 300), r"File name too long: .* choose another name or folder"),
        (Path("/dev/full"), r"No space left on device: .* make room, or choose another folder: '/dev/full'"),
    ):
        with pytest.raises(OSError, match=told):
            replace_file(path, "x")
    assert content(tmp_path) == {}


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    for _ in range(2):
        replace_file(tmp_path / ("a" * 255), "x")
    assert content(tmp_path) == {"a" * 255: b"x"}


def test_what_killed_processes_left_is_removed_and_what_is_being_written_is_not(tmp_path: Path) -> None:
    left = tmp_path / ".bnlab-0123456789abcdef.part"
    left.write_bytes(b"half")
    other = tmp_path / ".bnlab-notes.part"
    other.write_text("of the user")
    program = (
        "import sys; from bnlab._runtime.files import replace_file\n"
        "replace_file(sys.argv[1], lambda file: (print('writing', flush=True), input(), file.write(b'slow')))"
    )
    slow = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "slow")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert slow.stdout is not None
    slow.stdout.readline()
    assert not left.exists()
    replace_file(tmp_path / "fast", "fast")
    slow.communicate(b"\n", timeout=500)
    assert content(tmp_path) == {"slow": b"slow", "fast": b"fast", other.name: b"of the user"}


def test_a_new_file_takes_a_free_name_or_one_with_its_content(tmp_path: Path) -> None:
    names = [write_new(tmp_path / "a.study.json", text).name for text in "xyxyz"]
    assert names == ["a.study.json", "a-2.study.json", "a.study.json", "a-2.study.json", "a-3.study.json"]
    assert write_new(tmp_path / "b.tar", "x").name == "b.tar"
    (tmp_path / "c").mkdir()
    (tmp_path / "c-2").symlink_to(tmp_path / "nowhere")
    assert write_new(tmp_path / "c", "x").name == "c-3"
    assert not (tmp_path / "nowhere").exists()
    assert write_new(tmp_path / ".hidden", "x").name == ".hidden"
    assert write_new(tmp_path / ".hidden", "y").name == ".hidden-2"


def test_a_file_system_without_hard_links_gets_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> NoReturn:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    test_a_new_file_takes_a_free_name_or_one_with_its_content(tmp_path)
    assert keep_copy(tmp_path / "b.tar").name == "b-2.tar"
    assert (tmp_path / "b-2.tar").read_text() == "x"


WRITING = re.compile(
    r"\b(write_text|write_bytes|to_csv|to_parquet|to_pickle|to_excel|savefig|savez\w*|save_npz|tofile|write_html"
    r"|write_image|copyfile|copy2|mkstemp)\("
    r"""|open\((?:[^()]|\([^()]*\))*["'][rbt]*[wxa+][rwxabt+]*["']"""
)
TO_OPEN_FILES = {"analysis/files.py": 1, "checkpoint.py": 2, "data/readers.py": 1, "papers/base/records.py": 1}
"""Into a file or a buffer that is open, into a temporary folder that is read at once, or at the end of records."""


def test_only_one_module_writes_files() -> None:
    texts = {str(path.relative_to(LIBRARY)): path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py")}
    found = {name: len(WRITING.findall(re.sub(r"(?m)^ *>>> .*$", "", text))) for name, text in texts.items()}
    assert found.pop("_runtime/files.py")
    assert {name: times for name, times in found.items() if times} == TO_OPEN_FILES


def test_no_part_of_the_library_takes_times_from_a_clock_that_may_jump() -> None:
    for module in LIBRARY.rglob("*.py"):
        text = module.read_text(encoding="utf-8")
        for clock in ("time.time", "import time\n", ".now(", ".today(", "localtime", "gmtime", "st_atime"):
            assert clock not in text, module
