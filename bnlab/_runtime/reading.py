"""Files that are opened to be read: an error names the file, what is wrong with it and the way out."""

from __future__ import annotations

import os
from typing import IO


def open_to_read(path: str | os.PathLike[str], needed: str) -> IO[bytes]:
    """Open a file in binary mode.

    Parameters
    ----------
    path : str or path
    needed : str
        What to give instead of a file that is not there.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    IsADirectoryError
        When it is a folder.
    PermissionError
        When it may not be read.
    """
    name = repr(os.fspath(path))
    try:
        if os.path.isdir(path):
            raise IsADirectoryError
        return open(path, "rb")
    except IsADirectoryError:
        raise IsADirectoryError(f"{name} is a folder: {needed}") from None
    except PermissionError as error:
        raise PermissionError(f"{name} may not be read ({error.strerror}): change its permissions.") from None
    except (OSError, ValueError) as error:  # a name with a null character is a ValueError
        if isinstance(error, OSError) and os.path.exists(path):
            raise
        raise FileNotFoundError(f"there is no file {name}: {needed}") from None
