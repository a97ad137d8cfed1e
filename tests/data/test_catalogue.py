"""Downloads come from a server on this computer; the catalogue's own addresses are not asked."""

from __future__ import annotations

import hashlib
import io
import os
import threading
import tracemalloc
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from bnlab.data import catalogue
from bnlab.data.catalogue import DataUnavailable, Entry, fetch
from tests.faults import as_nobody, disk_of

CONTENT = b"1,2,a\n3,4,b\n"
ENTRY = Entry(
    kind="uci",
    name="tiny",
    file="uci/tiny/tiny.data",
    bytes=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    url="https://example.org/tiny.data",
    rows=2,
    attributes=2,
    classes=2,
    licence="none",
    citation="nobody",
)


class Server:
    """Pages by path; counts what was asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.cut_after: int | None = None
        self.sent = 0


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    state = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            page = state.pages.get(self.path)
            if page is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            for begin in range(0, len(page), 1 << 16):
                self.wfile.write(page[: state.cut_after][begin : begin + (1 << 16)])
                state.sent += 1 << 16

        def log_message(self, *args: object) -> None:
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()

    def from_here(url: str, most: int) -> bytes:
        return catalogue._streamed(url.replace("https://example.org", f"http://127.0.0.1:{httpd.server_port}"), most)

    monkeypatch.setattr(catalogue, "download", from_here)
    yield state
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.delenv("BNLAB_DATA", raising=False)
    monkeypatch.setattr(catalogue, "cache_folder", lambda: tmp_path / "cache")
    offer(monkeypatch, ENTRY)
    return tmp_path / "cache"


def offer(monkeypatch: pytest.MonkeyPatch, *entries: Entry) -> None:
    monkeypatch.setattr(catalogue, "entries", lambda: entries)


def fetched(file: str) -> Path:
    """As `fetch`; what is unavailable here is a failure, not a reason to leave the test out."""
    try:
        return fetch(file)
    except DataUnavailable as error:
        raise AssertionError(str(error)) from error


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once(server: Server, cache: Path) -> None:
    server.pages["/tiny.data"] = CONTENT
    assert fetched(ENTRY.file).read_bytes() == CONTENT
    assert fetched(ENTRY.file) == cache / ENTRY.file
    assert server.asked == ["/tiny.data"]
    assert files_below(cache) == [ENTRY.file]


def zipped(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("readme.txt", b"no")
        archive.writestr(name, CONTENT)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("page", "packed"),
    [
        ("/tiny.zip", zipped("tiny.data")),
        ("/tiny.zip", zipped("folder/tiny.data")),
        ("/tiny.data", CONTENT.replace(b"\n", b"\r\n")),
        ("/tiny.zip", CONTENT),
    ],
    ids=["zip", "folder in zip", "other line ends", "unpacked on the way"],
)
def test_what_is_served_packed_is_verified_unpacked(
    server: Server, monkeypatch: pytest.MonkeyPatch, page: str, packed: bytes
) -> None:
    offer(monkeypatch, replace(ENTRY, url=f"https://example.org{page}"))
    server.pages[page] = packed
    assert fetched(ENTRY.file).read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("url", "served"),
    [
        ("tiny.data", b"<html>moved</html>"),
        ("tiny.zip", b"<html>moved</html>"),
        ("tiny.zip", zipped("tiny.data")[:-30]),
        ("tiny.zip", zipped("other.data")),
        ("tiny.data", b""),
    ],
    ids=["a page", "a page, packed", "half of zip", "another member", "nothing"],
)
def test_other_content_is_refused_and_leaves_nothing_behind(
    server: Server, monkeypatch: pytest.MonkeyPatch, cache: Path, url: str, served: bytes
) -> None:
    offer(monkeypatch, replace(ENTRY, url=f"https://example.org/{url}"))
    server.pages[f"/{url}"] = served
    with pytest.raises(DataUnavailable) as caught:
        fetch(ENTRY.file)
    message = str(caught.value)
    assert ENTRY.sha256 in message
    assert "found" in message
    assert ENTRY.file in message
    assert "BNLAB_DATA" in message
    assert files_below(cache) == []


def test_half_a_download_is_not_taken_for_whole(server: Server, cache: Path) -> None:
    server.pages["/tiny.data"] = CONTENT
    server.cut_after = 6
    with pytest.raises(DataUnavailable, match=r"expected sha256|download from .* failed"):
        fetch(ENTRY.file)
    assert files_below(cache) == []
    server.cut_after = None
    assert fetched(ENTRY.file).read_bytes() == CONTENT


def test_what_is_larger_than_the_catalogue_says_is_refused_while_it_comes(server: Server, cache: Path) -> None:
    server.pages["/tiny.data"] = bytes(50_000_000)
    with pytest.raises(DataUnavailable, match="more than the 4,120 bytes that it may have"):
        fetch(ENTRY.file)
    assert server.sent < 50_000_000
    assert files_below(cache) == []


def test_a_bomb_is_unpacked_no_further_than_the_size_that_is_expected(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("tiny.data", bytes(60_000_000))
    offer(monkeypatch, replace(ENTRY, url="https://example.org/tiny.zip"))
    monkeypatch.setattr(catalogue, "_max_bytes", lambda entry: 1_000_000)
    server.pages["/tiny.zip"] = bomb.getvalue()
    tracemalloc.start()
    with pytest.raises(DataUnavailable, match=r"\(25 bytes instead of 12\)"):
        fetch(ENTRY.file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3_000_000


def test_an_interrupted_download_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    def interrupted(url: str, most: int) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr(catalogue, "download", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(ENTRY.file)
    assert files_below(cache) == []


def test_a_full_disk_is_reported_and_leaves_nothing_behind(server: Server, cache: Path) -> None:
    server.pages["/tiny.data"] = CONTENT
    for size in range(len(CONTENT)):
        with disk_of(size), pytest.raises(DataUnavailable, match="File too large"):
            fetch(ENTRY.file)
        assert files_below(cache) == []
    assert fetched(ENTRY.file).read_bytes() == CONTENT


@pytest.mark.parametrize("there", [False, True], ids=["new", "damaged"])
def test_a_cache_that_cannot_be_written_to_is_named(
    server: Server, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    server.pages["/tiny.data"] = CONTENT
    with TemporaryDirectory() as outside:
        cache = Path(outside, "cache")
        place = cache / ENTRY.file
        place.parent.mkdir(parents=True)
        if there:
            place.write_bytes(b"damaged")
        monkeypatch.setattr(catalogue, "cache_folder", lambda: cache)
        for folder, mode in ((Path(outside), 0o755), (place.parent, 0o555)):
            folder.chmod(mode)
        with as_nobody(), pytest.raises(DataUnavailable) as caught:
            fetch(ENTRY.file)
        for part in (f"the cache folder {place.parent} cannot be written", "Permission denied", "set BNLAB_DATA to a"):
            assert part in str(caught.value)
        assert "download" not in str(caught.value)
        assert files_below(cache) == [ENTRY.file] * there
        place.parent.chmod(0o755)


def test_a_damaged_file_in_the_cache_is_downloaded_again(server: Server, cache: Path) -> None:
    server.pages["/tiny.data"] = CONTENT
    (cache / ENTRY.file).parent.mkdir(parents=True)
    (cache / ENTRY.file).write_bytes(CONTENT[:5])
    assert fetched(ENTRY.file).read_bytes() == CONTENT


def test_without_network_the_error_says_what_from_where_and_the_variable(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(url: str, most: int) -> bytes:
        raise ConnectionError("no route")

    for failing in (catalogue.download, unreachable):
        monkeypatch.setattr(catalogue, "download", failing)
        with pytest.raises(DataUnavailable) as caught:
            fetch(ENTRY.file)
        for part in (ENTRY.file, ENTRY.url, "set BNLAB_DATA", "not on this computer"):
            assert part in str(caught.value)


def test_the_folder_of_the_variable_comes_before_any_download(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    folder = tmp_path / "data"
    (folder / ENTRY.file).parent.mkdir(parents=True)
    (folder / ENTRY.file).write_bytes(CONTENT)
    monkeypatch.setenv("BNLAB_DATA", str(folder))
    assert fetched(ENTRY.file) == folder / ENTRY.file
    assert server.asked == []
    assert not cache.exists()


def test_a_wrong_file_in_the_folder_is_an_error_and_stays_as_it_is(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "data" / ENTRY.file
    path.parent.mkdir(parents=True)
    path.write_bytes(b"wrong")
    monkeypatch.setenv("BNLAB_DATA", str(tmp_path / "data"))
    with pytest.raises(ValueError, match=r"tiny\.data is not the tiny file") as caught:
        fetch(ENTRY.file)
    for part in (ENTRY.sha256, hashlib.sha256(b"wrong").hexdigest(), ENTRY.url, "unset BNLAB_DATA"):
        assert part in str(caught.value)
    assert path.read_bytes() == b"wrong"
    path.write_bytes(CONTENT)
    assert fetched(ENTRY.file) == path


def test_a_change_is_noticed_when_the_clock_or_a_copy_sets_the_time_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "data" / ENTRY.file
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("BNLAB_DATA", str(tmp_path / "data"))
    fetch(ENTRY.file)
    times = (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_bytes(CONTENT[::-1])
    os.utime(path, ns=times)
    with pytest.raises(ValueError, match="expected sha256"):
        fetch(ENTRY.file)


def test_a_folder_that_lacks_the_file_is_not_written_to(
    server: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: Path
) -> None:
    monkeypatch.setenv("BNLAB_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    with pytest.raises(DataUnavailable, match=r"tiny\.data \(tiny\) is not in the folder .*data that BNLAB_DATA names"):
        fetch(ENTRY.file)
    server.pages["/tiny.data"] = CONTENT
    assert fetched(ENTRY.file) == cache / ENTRY.file
    assert files_below(tmp_path / "data") == []


def test_a_variable_that_names_no_folder_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BNLAB_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(ValueError, match=r"BNLAB_DATA='.*nowhere' is not a folder"):
        fetch(ENTRY.file)


def test_an_unknown_file_offers_near_ones() -> None:
    with pytest.raises(ValueError, match=r"'uci/tiny/tiny.dat': did you mean 'uci/tiny/tiny.data'"):
        fetch("uci/tiny/tiny.dat")


@pytest.mark.parametrize("url", ["http://example.org/a", "file:///etc/hostname", "ftp://example.org/a"])
def test_only_https_is_downloaded(url: str) -> None:
    with pytest.raises(ValueError, match="is not an https address"):
        catalogue.download(url)


def test_a_redirection_to_plain_http_is_refused() -> None:
    class Response:
        url = "https://example.org/a"
        headers = {"location": "http://example.org/a"}  # noqa: RUF012

    with pytest.raises(OSError, match="redirects to an address without https"):
        catalogue._refuse_plain_http(Response())


def test_the_catalogue_is_complete_and_well_formed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    entries = catalogue.entries()
    assert len(catalogue.names("uci")) == 17
    assert len(catalogue.names("network")) == 10
    assert len(catalogue.names("large network")) == 14
    assert len(catalogue.names("mmhc")) == 13
    assert len({entry.file for entry in entries}) == len(entries)
    for entry in entries:
        assert entry.url.startswith("https://")
        assert len(bytes.fromhex(entry.sha256)) == 32
        assert entry.licence
        assert entry.citation
        assert ".." not in entry.file
    frame = catalogue.overview()
    assert frame.loc[frame["name"] == "satimage", "rows"].tolist() == [4435, 2000]
