"""Catalogue of public data sets: sources and properties, and a verified local copy of each file."""

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
NETWORKS = ("network", "large network")
"""Kinds of files that hold a Bayesian network. The large ones are downloaded at their first use."""
KINDS = ("uci", *NETWORKS, "mmhc")
_MAX_ARCHIVE_BYTES = 64 << 20
"""Maximum size of a downloaded archive, bytes."""


class DataUnavailable(OSError):
    """A file of the catalogue is not on this computer and could not be downloaded."""


@dataclass(frozen=True)
class Entry:
    """One file of the catalogue, of a kind in `KINDS`; several files may have the same name.

    `file` is the relative path in a local folder and in the cache, and `sha256` is that of this file. If `url` ends in
    .zip, the file is a member of that archive, unless it is the archive itself. Bundled files are never downloaded, so
    their addresses may have other forms. The shape is None if the file is not a data set.
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


def names(*kinds: str) -> tuple[str, ...]:
    """Names in the catalogue, all or of some kinds in `KINDS`.

    Examples
    --------
    >>> names("network")[:3]
    ('alarm', 'child', 'insurance')
    """
    return tuple(dict.fromkeys(entry.name for entry in entries() if not kinds or entry.kind in kinds))


def overview() -> pd.DataFrame:
    """Catalogue as a DataFrame: one row per file, with shape, licence, citation and address.

    `source` is "bundled" for a file of the package and "download" for a file that is downloaded at its first use.
    """
    import pandas as pd

    frame = pd.DataFrame([vars(entry) for entry in entries()])
    frame.insert(3, "source", ["bundled" if entry.file in _bundled() else "download" for entry in entries()])
    return frame.astype(dict.fromkeys(("rows", "attributes", "classes"), "Int64"))


def fetch(file: str) -> Path:
    """Local path of a file of the catalogue, whose content is verified.

    The folder named by the environment variable BNLAB_DATA is searched first and never written to. A file that it does
    not have comes from the package if it is bundled; otherwise it is downloaded once, over https. Both are saved in the
    user's cache folder. If that cannot be written, a bundled file is saved in a temporary folder.

    Parameters
    ----------
    file : str
        Path in the catalogue, for example "networks/alarm.bif".

    Raises
    ------
    ValueError
        If the file is unknown, or has unexpected content in the folder of BNLAB_DATA.
    DataUnavailable
        If there is no copy on this computer and the download fails or has unexpected content.
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
        return _unpack_bundled(content, entry)
    _download_to(cached, entry)
    return cached


@lru_cache(maxsize=1)
def _bundled() -> dict[str, bytes]:
    """Content of the bundled files, 3.5 MB, unpacked once per process.

    ``python -m tools.bundle FOLDER`` writes the archive, and the source and licence of each file to `NOTICE` beside it.
    """
    packed = files("bnlab.data").joinpath("bundled", BUNDLED_ARCHIVE)
    with packed.open("rb") as file, lzma.open(file) as unpacked, tarfile.open(fileobj=unpacked, mode="r|") as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]


def bundled_content(file: str) -> bytes | None:
    """Content of a file of the catalogue; None if it is not bundled.

    Examples
    --------
    >>> bundled_content("networks/cancer.bif")[:15]
    b'network unknown'
    >>> bundled_content("mmhc/Pigs_graph.txt") is None
    True
    """
    return _bundled().get(file)


def _unpack_bundled(content: bytes, entry: Entry) -> Path:
    """Path of a verified copy of a bundled file."""
    if _sha256(content) != entry.sha256:
        raise DataUnavailable(f"{entry.file} in the installed package is damaged: install bnlab again.")
    try:
        return _write_file(cache_folder() / entry.file, content, entry)
    except DataUnavailable:
        return _write_file(_temporary_folder() / entry.file, content, entry)


@lru_cache(maxsize=1)
def _temporary_folder() -> Path:
    """Temporary folder that is deleted at the end of the process."""
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


def download(url: str, most: int = _MAX_ARCHIVE_BYTES) -> bytes:
    """Content of an https address; OSError as soon as it exceeds `most` bytes."""
    if not url.startswith("https://"):
        raise ValueError(f"{url!r} is not an https address: nothing else is downloaded.")
    return _streamed(url, most)


def _streamed(url: str, most: int) -> bytes:
    import pooch

    file = _LimitedBuffer(most)
    pooch.HTTPDownloader(timeout=(10, 60), hooks={"response": _refuse_plain_http})(url, file, None)
    return file.getvalue()


class _LimitedBuffer(io.BytesIO):
    """File in memory that refuses more than `most` bytes."""

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
    """Download, unpack and verify in memory, then write the whole file."""
    _write_file(path, None, entry)
    try:
        data = download(entry.url, _max_bytes(entry))
    except OSError as error:
        raise DataUnavailable(
            f"{_where_missing(entry)}, and the download from {entry.url} failed ({_reason(error)}). {_way_out(entry)}"
        ) from None  # the traceback of a socket would hide the message
    _write_file(path, _verified_content(data, entry), entry)


def _write_file(path: Path, content: bytes | None, entry: Entry) -> Path:
    """Write a file and return its path; without content, only make its folder."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is not None:
            replace_file(path, content)
    except OSError as error:
        raise DataUnavailable(
            f"{entry.file} ({entry.name}) cannot be saved: the cache folder {path.parent} cannot be written "
            f"({_reason(error)}). Make it writable and free some space, or set {FOLDER_VARIABLE} to a folder that "
            f"holds it as {entry.file}."
        ) from None
    return path


def _verified_content(data: bytes, entry: Entry) -> bytes:
    try:
        content = _member(data, entry) if _in_archive(entry) else data
    except (ValueError, KeyError, EOFError, OSError, zlib.error, zipfile.BadZipFile):
        content = data
    # Some public copies differ in their line ends only.
    for candidate in (content, content.replace(b"\r\n", b"\n")):
        if _sha256(candidate) == entry.sha256:
            return candidate
    raise DataUnavailable(
        f"{_where_missing(entry)}, and {entry.url} now serves something else: expected sha256 {entry.sha256}, found "
        f"{_sha256(content)} ({len(content)} bytes instead of {entry.bytes}). {_way_out(entry)}"
    )


def _member(data: bytes, entry: Entry) -> bytes:
    """Content of one file of an archive, read only up to a size that proves that it is another file."""
    wanted = PurePosixPath(entry.file).name
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        name = next(n for n in [*archive.namelist(), wanted] if PurePosixPath(n).name == wanted)
        with archive.open(name) as member:
            return member.read(2 * entry.bytes + 1)


def _in_archive(entry: Entry) -> bool:
    return entry.url.endswith(".zip") and not entry.file.endswith(".zip")


def _max_bytes(entry: Entry) -> int:
    """Maximum size of a download, bytes; line ends may have one byte more than in the catalogue."""
    return _MAX_ARCHIVE_BYTES if _in_archive(entry) else 2 * entry.bytes + 4096


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
    return f"Connect to the network, or set {FOLDER_VARIABLE} to a folder that holds {_content(entry)} as {entry.file}."


def _content(entry: Entry) -> str:
    return "the unpacked file" if _in_archive(entry) else "this file"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
