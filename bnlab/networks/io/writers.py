"""The table of formats of networks that are written: the suffix of a file decides."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bnlab._runtime.files import replace_file
from bnlab.networks.io.bif_writer import format_bif
from bnlab.networks.io.hugin_writer import format_net
from bnlab.networks.io.xmlbif_writer import format_xmlbif
from bnlab.networks.types import Network

WRITERS: dict[str, Callable[[Network], str]] = {
    ".bif": format_bif,
    **dict.fromkeys((".xmlbif", ".bifxml", ".xml"), format_xmlbif),
    ".net": format_net,
}


def write_network(net: Network, path: str | os.PathLike[str]) -> None:
    """Write a network in the format that the suffix of the path names: .bif, .xmlbif (.bifxml, .xml) or .net.

    Raises
    ------
    ValueError
        If no format with this suffix is written, or the format cannot hold a name or state.
    OSError
        If the file cannot be written.
    """
    replace_file(path, WRITERS[check_suffix(path)](net))


def check_suffix(path: str | os.PathLike[str]) -> str:
    """Suffix of a path, in lower case; ValueError if no format with this suffix is written."""
    suffix = Path(path).suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"{str(path)!r} ends in {suffix!r}: networks are written as {', '.join(WRITERS)}.")
    return suffix
