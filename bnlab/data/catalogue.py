"""Public data sets: their sources and properties, and a verified local copy of each file."""

from __future__ import annotations

import atexit
import csv
import hashlib
import io
import lzma
import os
import shutil
import tarfile
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from bnlab._runtime.files import digest_of, replace_file
from bnlab._runtime.names import check_known

if TYPE_CHECKING:
    import pandas as pd

FOLDER_VARIABLE = "BNLAB_DATA"
BUNDLED_ARCHIVE = "data.tar.xz"
ARCHIVE = 64 << 20
"""Bytes that an archive of many files may have."""


class DataUnavailable(OSError):
    """A file of the catalogue is not on this computer and could not be downloaded."""


@dataclass(frozen=True)
class Entry:
    """One file of the catalogue, of the kind "uci", "network" or "mmhc"; several files may share a name.

    `file` is the relative path, the same in a local folder and in the cache; `sha256` is that of the unpacked file. A
    `url` that ends in .zip serves the file as a member of an archive; bundled files, some of which are packed there in
    other ways, are never downloaded. The shape is None where the file is not a data set.
    """

    kind: str
    name: str
    file: str
    bytes: int
    sha256: str
    url: str
    rows: int | None
    attributes: int | None
    classes: int | None
    licence: str
    citation: str


@lru_cache(maxsize=1)
def entries() -> tuple[Entry, ...]:
    """All files of the catalogue."""
    text = files("bnlab.data").joinpath("catalogue.csv").read_text(encoding="utf-8")
    lines: list[dict[str, Any]] = list(csv.DictReader(io.StringIO(text)))
    for line in lines:
        line |= {key: int(line[key]) if line[key] else None for key in ("bytes", "rows", "attributes", "classes")}
    return tuple(Entry(**line) for line in lines)


def names(kind: str | None = None) -> tuple[str, ...]:
    """Names in the catalogue, all or of one kind ("uci", "network", "mmhc").

    Examples
    --------
    >>> names("network")[:3]
    ('alarm', 'child', 'insurance')
    """
    return tuple(dict.fromkeys(entry.name for entry in entries() if kind in (None, entry.kind)))


def overview() -> pd.DataFrame:
    """Catalogue as a DataFrame: one line a file, with shape, licence, citation and address.

    `source` is "bundled" for a file that comes with the package, and "download" for one that is fetched when it is
    first used.
    """
    import pandas as pd

    frame = pd.DataFrame([vars(entry) for entry in entries()])
    frame.insert(3, "source", ["bundled" if entry.file in _bundled() else "download" for entry in entries()])
    return frame.astype(dict.fromkeys(("rows", "attributes", "classes"), "Int64"))


def fetch(file: str) -> Path:
    """Local path of a file of the catalogue, its content verified.

    The folder named by the environment variable BNLAB_DATA is looked at first, and never written to. A file that it
    lacks comes from the package if it is bundled, else it is downloaded once, over https. Both are put into the user's
    cache folder; a bundled file goes to a temporary folder where that cannot be written.

    Parameters
    ----------
    file : str
        Path in the catalogue, for example "networks/alarm.bif".

    Raises
    ------
    ValueError
        Unknown file, or a file in the folder of BNLAB_DATA whose content is not the expected.
    DataUnavailable
        No copy on this computer, and none or a different one to download.
    """
    known = {entry.file: entry for entry in entries()}
    check_known(file, known, f"no file of the catalogue is called {file!r}")
    entry = known[file]
    folder = local_folder()
    if folder is not None and (path := folder / file).is_file():
        if (found := digest_of(path)) == entry.sha256:
            return path
        raise ValueError(
            f"{path} is not the {entry.name} file of the catalogue: expected sha256 {entry.sha256}, found "
            f"{found}. Replace it by the content of {entry.url} or unset {FOLDER_VARIABLE}."
        )
    cached = cache_folder() / file
    if digest_of(cached) == entry.sha256:
        return cached
    content = bundled_content(file)
    if content is not None:
        return _unbundled(content, entry)
    _download_to(cached, entry)
    return cached


@lru_cache(maxsize=1)
def _bundled() -> dict[str, bytes]:
    """Content of the files that come with the package, unpacked once a process: 3.5 MB.

    ``python -m tools.bundle FOLDER`` writes the archive, and the source and licence of each file to `NOTICE` beside it.
    """
    packed = files("bnlab.data").joinpath("bundled", BUNDLED_ARCHIVE)
    with packed.open("rb") as file, lzma.open(file) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]


def bundled_content(file: str) -> bytes | None:
    """Content of a file of the catalogue; None when it does not come with the package.

    Examples
    --------
    >>> bundled_content("networks/cancer.bif")[:15]
    b'network unknown'
    >>> bundled_content("mmhc/Pigs_graph.txt") is None
    True
    """
    return _bundled().get(file)


def _unbundled(content: bytes, entry: Entry) -> Path:
    """Path of a copy of a bundled file, its content verified."""
    if _sha256(content) != entry.sha256:
        raise DataUnavailable(f"{entry.file} in the installed package is damaged: install bnlab again.")
    try:
        return _written(cache_folder() / entry.file, content, entry)
    except DataUnavailable:
        return _written(_scratch_folder() / entry.file, content, entry)


@lru_cache(maxsize=1)
def _scratch_folder() -> Path:
    """Folder that lasts as long as this process."""
    folder = tempfile.mkdtemp(prefix="bnlab-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def local_folder() -> Path | None:
    """Folder named by BNLAB_DATA, if the variable is set."""
    name = os.environ.get(FOLDER_VARIABLE)
    if not name:
        return None
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise ValueError(f"{FOLDER_VARIABLE}={name!r} is not a folder: correct the variable or unset it.")
    return folder


def cache_folder() -> Path:
    """Folder of downloaded files."""
    import pooch

    return Path(pooch.os_cache("bnlab"))


def download(url: str, most: int = ARCHIVE) -> bytes:
    """Content of an https address; what has more than so many bytes is refused while it comes."""
    if not url.startswith("https://"):
        raise ValueError(f"{url!r} is not an https address: nothing else is downloaded.")
    return _streamed(url, most)


def _streamed(url: str, most: int) -> bytes:
    import pooch

    file = _AtMost(most)
    pooch.HTTPDownloader(timeout=(10, 60), hooks={"response": _refuse_plain_http})(url, file, None)
    return file.getvalue()


class _AtMost(io.BytesIO):
    """A file in memory that takes so many bytes."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def write(self, content: Any) -> int:
        if self.tell() + len(content) > self._most:
            raise OSError(f"more than the {self._most:,} bytes that it may have")
        return super().write(content)


def _refuse_plain_http(response: Any, **_: Any) -> None:
    if response.headers.get("location", "").lower().startswith("http:"):
        raise OSError(f"{response.url} redirects to an address without https")


def _download_to(path: Path, entry: Entry) -> None:
    """Download, unpack and verify in memory, and only then write the file, whole."""
    _written(path, None, entry)
    try:
        data = download(entry.url, _most(entry))
    except OSError as error:
        raise DataUnavailable(
            f"{_where_missing(entry)}, and the download from {entry.url} failed ({_reason(error)}). {_way_out(entry)}"
        ) from None  # a socket's traceback would bury what to do
    _written(path, _right_content(data, entry), entry)


def _written(path: Path, content: bytes | None, entry: Entry) -> Path:
    """Path of a file after it has been written; without content, only its folder is made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            replace_file(path, content)
    except OSError as error:
        raise DataUnavailable(
            f"{entry.file} ({entry.name}) cannot be saved: the cache folder {path.parent} cannot be written "
            f"({_reason(error)}). Make it writable and free some space, or set {FOLDER_VARIABLE} to a folder that "
            f"holds the unpacked file as {entry.file}."
        ) from None
    return path


def _right_content(data: bytes, entry: Entry) -> bytes:
    try:
        content = _member(data, entry) if _in_archive(entry) else data
    except (ValueError, KeyError, EOFError, OSError, zlib.error, zipfile.BadZipFile):
        content = data
    # Some public copies differ in their line ends alone.
    for candidate in (content, content.replace(b"\r\n", b"\n")):
        if _sha256(candidate) == entry.sha256:
            return candidate
    raise DataUnavailable(
        f"{_where_missing(entry)}, and {entry.url} now serves something else: expected sha256 {entry.sha256}, found "
        f"{_sha256(content)} ({len(content)} bytes instead of {entry.bytes}). {_way_out(entry)}"
    )


def _member(data: bytes, entry: Entry) -> bytes:
    """Content of one file of an archive, or as much of it as shows that it is another one."""
    wanted = PurePosixPath(entry.file).name
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        name = next(n for n in [*archive.namelist(), wanted] if PurePosixPath(n).name == wanted)
        with archive.open(name) as member:
            return member.read(2 * entry.bytes + 1)


def _in_archive(entry: Entry) -> bool:
    return entry.url.endswith(".zip") and not entry.file.endswith(".zip")


def _most(entry: Entry) -> int:
    """Bytes that may be downloaded; each line of a file may end with one more than here."""
    return ARCHIVE if _in_archive(entry) else 2 * entry.bytes + 4096


def _reason(error: OSError) -> str:
    if error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    return str(error) if type(error) is OSError else type(error).__name__


def _where_missing(entry: Entry) -> str:
    folder = local_folder()
    if folder is None:
        return f"{entry.file} ({entry.name}) is not on this computer"
    return f"{entry.file} ({entry.name}) is not in the folder {folder} that {FOLDER_VARIABLE} names"


def _way_out(entry: Entry) -> str:
    return f"Connect to the network, or set {FOLDER_VARIABLE} to a folder that holds the unpacked file as {entry.file}."


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
