"""Data that come with the package: the UCI data sets of the papers, and networks of the bnlearn repository.

All files are members of one archive, `data.tar.xz`. `NOTICE` names the source and the licence of each;
``python -m tools.bundle FOLDER`` writes both.
"""

from __future__ import annotations

import lzma
import tarfile
from functools import lru_cache
from importlib.resources import files

ARCHIVE = "data.tar.xz"


@lru_cache(maxsize=1)
def _members() -> dict[str, bytes]:
    """Content of every file, unpacked once a process: 3.5 MB."""
    packed = files(__name__).joinpath(ARCHIVE)
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
    return _members().get(file)
