"""Files that are opened to be read: an error names the file, what is wrong with it and the way out."""

from __future__ import annotations

import os
from typing import IO, Any

_SHOWN = 200


def open_to_read(path: Any, needed: str) -> IO[bytes]:
    """Open a file in binary mode.

    Parameters
    ----------
    path : str or path
    needed : str
        What to give in its place, such as "give the path of a .bif file."

    Raises
    ------
    TypeError
        When it is no path.
    FileNotFoundError
        When there is no such file.
    IsADirectoryError
        When it is a folder.
    PermissionError
        When it may not be read.
    """
    is_path = isinstance(path, (str, os.PathLike))
    name = repr(os.fspath(path) if is_path else path)
    name = name if len(name) <= _SHOWN else f"{name[:_SHOWN]} …"
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
    except (OSError, ValueError):  # a ValueError for a null character, which is in no name
        if os.path.exists(path):
            raise
        raise FileNotFoundError(f"there is no file {name}: {needed}") from None


def check_readable(path: Any, needed: str) -> None:
    """Raise the errors of `open_to_read` for what another library opens; a folder may hold the parts of a table."""
    if not (isinstance(path, (str, os.PathLike)) and os.path.isdir(path)):
        open_to_read(path, needed).close()
