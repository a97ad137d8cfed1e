"""Write the data that come with the package: ``python -m tools.bundle FOLDER`` (by default the one BNLAB_DATA names).

The folder holds the files of the catalogue under their paths; those that it lacks are taken from the present archive.
Each is checked by its hash. The archive depends on their content alone, so that the same files give the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import lzma
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path

from bnlab.data.catalogue import BUNDLED_ARCHIVE, FOLDER_VARIABLE, Entry, bundled_content, entries

BUNDLED = Path(__file__).parents[1] / "bnlab" / "data" / "bundled"
KINDS = ("uci", "network")
HEADING = f"""\
The files in {BUNDLED_ARCHIVE} are not covered by the licence of bnlab. They are copies of public data, unchanged unless
a line says what was changed:

"""
ABOUT = {
    "uci": """\
UCI Machine Learning Repository (https://archive.ics.uci.edu). Data sets under CC BY 4.0
(https://creativecommons.org/licenses/by/4.0/) are attributed to the authors below.

""",
    "network": """\
Bayesian Network Repository (https://www.bnlearn.com/bnrepository/), which states no licence for the networks.
Cite the repository and the work that each network comes from.

""",
}


def archive_of(folder: Path, chosen: Iterable[Entry]) -> bytes:
    """Tar archive in xz of the entries' files, from the folder or else the present archive.

    Raises
    ------
    ValueError
        When a file is not the one of the catalogue.
    FileNotFoundError
        When it is missing in both.
    """
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for entry in chosen:
            path = folder / entry.file
            content = path.read_bytes() if path.is_file() else bundled_content(entry.file)
            if content is None:
                raise FileNotFoundError(f"{path}: {entry.file} is not in the present archive either.")
            if hashlib.sha256(content).hexdigest() != entry.sha256:
                raise ValueError(f"{folder / entry.file} is not the file of the catalogue: its sha256 differs.")
            member = tarfile.TarInfo(entry.file)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def notice_of(chosen: Iterable[Entry]) -> str:
    """Sources and licences, a line a data set or network."""
    lines = {
        kind: dict.fromkeys(f"- {e.name}: {e.citation}. {e.licence}." for e in chosen if e.kind == kind)
        for kind in KINDS
    }
    return HEADING + "\n".join(ABOUT[kind] + "\n".join(lines[kind]) + "\n" for kind in KINDS)


def main() -> None:
    """Write the archive and its NOTICE."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=os.environ.get(FOLDER_VARIABLE))
    folder = parser.parse_args().folder
    if folder is None:
        parser.error(f"name a folder, or set {FOLDER_VARIABLE}")
    chosen = [entry for entry in entries() if entry.kind in KINDS]
    (BUNDLED / BUNDLED_ARCHIVE).write_bytes(archive_of(Path(folder), chosen))
    (BUNDLED / "NOTICE").write_text(notice_of(chosen), encoding="utf-8")


if __name__ == "__main__":
    main()
