"""Reading and writing of files: a file is written completely or not at all, and errors name it and a way out.

An error, a full disk or a kill leaves the old file unchanged: the new content is written to a temporary file in the
same folder and forced to disk; then the file is renamed in one step.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, TypeAlias

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

Content: TypeAlias = str | bytes | Callable[[IO[bytes]], object]
"""Text (written as UTF-8, its line ends unchanged), bytes, or a function that writes to an open file."""

_SHOWN_NAME = 200
_HAS_LOCKS: bool = fcntl is not None
_TEMPORARY = re.compile(r"\.bnlab-[0-9a-f]{16}\.part")
_NAME = re.compile(r"(.+?)((?:\.study)?\.[^.]+)?", re.DOTALL)
_NO_FOLDER, _NO_ROOM = "make its folder first, or choose another one", "make room, or choose another folder"
_NO_RIGHT = "choose a name and a folder that you may write to"
_WAYS_OUT = {
    **dict.fromkeys((errno.ENOENT, errno.ENOTDIR), _NO_FOLDER),
    **dict.fromkeys((errno.ENOSPC, errno.EFBIG, errno.EDQUOT), _NO_ROOM),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), _NO_RIGHT),
    errno.EISDIR: "it is a folder: add the name of a file",
}


def open_to_read(path: Any, needed: str) -> IO[bytes]:
    """Open a file in binary mode; TypeError and OSError say why this fails, and what is `needed` instead."""
    is_path = isinstance(path, (str, os.PathLike))
    name = repr(os.fspath(path) if is_path else path)
    name = name if len(name) <= _SHOWN_NAME else f"{name[:_SHOWN_NAME]} …"
    if not is_path:
        raise TypeError(f"{name} is a {type(path).__name__} and no path: {needed}")
    try:
        if os.path.isdir(path):
            raise IsADirectoryError
        return open(path, "rb")
    except IsADirectoryError:
        raise IsADirectoryError(f"{name} is a folder: {needed}") from None
    except PermissionError as error:
        raise PermissionError(f"{name} may not be read ({error.strerror}): change its permissions.") from None
    except (OSError, ValueError):  # ValueError for a null character, which no name may contain
        if os.path.exists(path):
            raise
        raise FileNotFoundError(f"there is no file {name}: {needed}") from None


def check_readable(path: Any, needed: str) -> None:
    """Raise the errors of `open_to_read` for a path that another library opens; a folder of parts is accepted."""
    if not (isinstance(path, (str, os.PathLike)) and os.path.isdir(path)):
        open_to_read(path, needed).close()


class FileChanged(FileExistsError):
    """The file was changed by another program and is not replaced."""


def replace_file(path: str | os.PathLike[str], content: Content, check: Callable[[Path], None] | None = None) -> None:
    """Write a file, or replace an older one and keep its permissions; the target of a link is replaced, not the link.

    If there is an older file, `check` is called with it just before it is replaced, while no other process that passes
    a check can replace it. If `check` raises an error, that file stays unchanged. An OSError names the file and a way
    out.
    """
    target = Path(os.path.realpath(path))
    with _errors_about(path):
        old = _status(target)
        if old is not None and not stat.S_ISREG(old.st_mode):
            with target.open("wb") as device:  # such as /dev/stdout, which a file in its place would destroy
                _write(device, content)
            return
        if old is not None and not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        with _temporary_with(target.parent, content, old) as part:
            if check is None:
                part.replace(target)
            else:
                _replace_checked(part, target, check)


def write_new(path: str | os.PathLike[str], content: Content) -> Path:
    """Write a file under the first name of x.csv, x-2.csv ... that is free or has this content; return its path."""
    with _errors_about(path), _temporary_with(Path(path).parent, content) as part:
        return _name_new(part, numbered(Path(path)))


def keep_copy(path: Path) -> Path:
    """Give a file a second name, the first free one of x-2.json, x-3.json ..., so that the first can be replaced."""
    names = numbered(path)
    next(names)
    return _name_new(path, names)


def numbered(path: Path) -> Iterator[Path]:
    """Names for files that must not replace each other: x.csv, x-2.csv, x-3.csv ..."""
    found = _NAME.fullmatch(path.name)
    stem, ending = (path.name, None) if found is None else found.groups()
    yield path
    for number in count(2):
        yield path.with_name(f"{stem}-{number}{ending or ''}")


def digest_of(path: str | os.PathLike[str]) -> str | None:
    """SHA-256 of a file's content, in hexadecimal; None if there is no regular file that can be read."""
    try:
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


@contextmanager
def locked(file: IO[bytes], *, shared: bool = False) -> Iterator[None]:
    """Lock a file, after waiting for other processes that lock it; without effect if the file system has no locks."""
    _lock(file, "LOCK_SH" if shared else "LOCK_EX")
    try:
        yield
    finally:
        _lock(file, "LOCK_UN")  # closing is not enough if a forked process also has the file open


def _lock(file: IO[bytes], operation: str) -> None:
    if _HAS_LOCKS:
        with suppress(OSError):
            fcntl.flock(file, getattr(fcntl, operation))


@contextmanager
def _errors_about(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make errors name a way out and the requested file, not the temporary one."""
    try:
        yield
    except FileChanged:
        raise
    except OSError as error:
        if error.errno is None:
            raise
        way_out = _WAYS_OUT.get(error.errno, "choose another name or folder")
        message = f"{error.strerror}: nothing was written, and an older file is as it was; {way_out}"
        raise OSError(error.errno, message, os.fspath(path)) from error


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


@contextmanager
def _temporary_with(folder: Path, content: Content, old: os.stat_result | None = None) -> Iterator[Path]:
    """Temporary file with content that was forced to disk; removed at the end unless it was renamed."""
    _remove_leftovers(folder.absolute(), os.getpid())
    file = _temporary(folder, private=old is not None)
    part = Path(file.name)
    try:
        with file:
            if old is not None:
                with suppress(OSError, AttributeError):  # only the super-user may change owners; Windows has none
                    os.chown(part, old.st_uid, old.st_gid)
                with suppress(OSError):
                    part.chmod(stat.S_IMODE(old.st_mode))
            _write(file, content)
            file.flush()
            os.fsync(file.fileno())
            if not _HAS_LOCKS:
                file.close()  # Windows cannot rename an open file
            yield part
    finally:
        part.unlink(missing_ok=True)


def _write(file: IO[bytes], content: Content) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content.encode() if isinstance(content, str) else content)


def _temporary(folder: Path, *, private: bool) -> Any:
    """New file, locked while it is open, so that no other process removes it as a leftover."""
    while True:
        opener = partial(os.open, mode=0o600 if private else 0o666)
        file = open(folder / f".bnlab-{token_hex(8)}.part", "xb", opener=opener)  # noqa: SIM115 - closed by the caller
        _lock(file, "LOCK_EX")
        if os.path.exists(file.name):
            return file
        file.close()  # another process removed it as a leftover before it was locked


@cache
def _remove_leftovers(folder: Path, process: int) -> None:
    """Remove temporary files of killed processes, which no process has locked; once per folder and process."""
    with suppress(OSError):
        for path in list(folder.iterdir()) if _HAS_LOCKS else []:
            if _TEMPORARY.fullmatch(path.name):
                with suppress(OSError), path.open("r+b") as file:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    path.unlink()


def _replace_checked(part: Path, target: Path, check: Callable[[Path], None]) -> None:
    """Replace a file that passes a check, or take the name if it is free, while other processes may do the same."""
    while not _name_once(part, target):
        with _locked_file(target) as is_current:
            if is_current:
                check(target)
                part.replace(target)
                return


@contextmanager
def _locked_file(path: Path) -> Iterator[bool]:
    """Open and lock the file with a name; yields False if the file was replaced or removed after it was opened."""
    if not _HAS_LOCKS:
        yield True
        return
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield False
        return
    with file, locked(file):
        now = _status(path)
        yield now is not None and os.path.samestat(os.fstat(file.fileno()), now)


def _name_new(file: Path, names: Iterator[Path]) -> Path:
    return next(name for name in names if _same_content(file, name) or _name_once(file, name))


def _same_content(file: Path, other: Path) -> bool:
    same_size = os.path.isfile(other) and os.path.getsize(other) == file.stat().st_size
    digest = digest_of(other) if same_size else None
    return digest is not None and digest == digest_of(file)


def _name_once(file: Path, name: Path) -> bool:
    """Give a file another name, or rename it, unless the name is taken."""
    try:
        os.link(file, name)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        try:
            name.open("xb").close()
        except FileExistsError:
            return False
        try:
            file.replace(name)
        except BaseException:
            name.unlink()
            raise
    return True
