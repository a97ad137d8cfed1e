"""Which files a workbench may replace: those that it opened or wrote, as long as nothing else has changed them."""

from __future__ import annotations

import errno
import os
from hashlib import sha256
from pathlib import Path

from bnlab._runtime.files import FileChanged, digest_of, keep_copy, numbered, replace_file, write_new


class SavedFiles:
    """Files that one workbench opened or wrote, with the SHA-256 that each had then.

    Examples
    --------
    >>> folder = getfixture("tmp_path")
    >>> mine, others = SavedFiles(), SavedFiles()
    >>> mine.write(folder / "a.json", "1")
    >>> mine.write(folder / "a.json", "2")
    >>> others.write(folder / "a.json", "3").name  # "2" is kept
    'a-2.json'
    >>> mine.write_beside_others(folder / "a.json", "4").name
    'a-3.json'
    """

    def __init__(self) -> None:
        self._digests: dict[Path, str | None] = {}

    def note(self, path: Path, digest: str | None) -> None:
        """Remember a file that was opened, with its digest from before."""
        self._digests[_place(path)] = digest

    def write(self, path: Path, text: str, *, overwrite: bool = False) -> Path | None:
        """Write a file that a person named.

        An older file of that name, unless this workbench opened or wrote it, is kept under a free name.

        Parameters
        ----------
        path : Path
        text : str
        overwrite : bool
            Whether to replace an older file in any case.

        Returns
        -------
        Path or None
            Where the older file is now, if it was kept.

        Raises
        ------
        FileExistsError
            When this workbench opened or wrote the file, and something else has changed it since.
        OSError
            As for `bnlab._runtime.files.replace_file`.
        """
        digest, known = sha256(text.encode()).hexdigest(), self._digests.get(_place(path))
        kept: list[Path] = []

        def check(old: Path) -> None:
            if overwrite or digest_of(old) in (known, digest):
                return
            if known is not None:
                raise FileChanged(
                    errno.EEXIST,
                    "the file has changed since this workbench opened or saved it, perhaps by another process; choose "
                    "another name, or replace it by overwrite=True",
                    os.fspath(path),
                )
            kept.append(keep_copy(old))

        replace_file(path, text, check)
        self._digests[_place(path)] = digest
        return kept[0] if kept else None

    def write_beside_others(self, path: Path, text: str) -> Path:
        """Write a file under a default name, or the next free one; returns its path.

        The only file that is replaced is one that this workbench wrote under one of these names.
        """
        for own in numbered(path):
            if not os.path.lexists(own):
                break
            if self._is_own(own):
                self.write(own, text)
                return own
        written = write_new(path, text)
        self._digests[_place(written)] = digest_of(written)
        return written

    def _is_own(self, path: Path) -> bool:
        known = self._digests.get(_place(path))
        return known is not None and digest_of(path) == known


def _place(path: Path) -> Path:
    return Path(os.path.realpath(path))
