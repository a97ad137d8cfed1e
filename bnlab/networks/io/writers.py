"""Networks as text in XMLBIF and Hugin's NET, and the table of formats that are written, by the suffix of a file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bnlab._runtime.files import replace_file
from bnlab.networks.io.bif_writer import format_bif
from bnlab.networks.io.names import plain_names, state_texts
from bnlab.networks.types import Network

_WRITABLE = re.compile("[\t\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")


def format_xmlbif(net: Network) -> str:
    """Text of a network in XMLBIF; ValueError if a name or state cannot be written in XML."""
    root = Element("BIF", VERSION="0.3")
    network = SubElement(root, "NETWORK")
    SubElement(network, "NAME").text = "network"
    states = [state_texts(variable, "XMLBIF") for variable in net.variables]
    for variable, texts in zip(net.variables, states, strict=True):
        element = SubElement(network, "VARIABLE", TYPE="nature")
        SubElement(element, "NAME").text = _written(variable.name)
        for state in texts:
            SubElement(element, "OUTCOME").text = _written(state)
    for i, cpt in enumerate(net.cpts):
        element = SubElement(network, "DEFINITION")
        SubElement(element, "FOR").text = net.names[i]
        for parent in net.dag.parents[i]:
            SubElement(element, "GIVEN").text = net.names[parent]
        SubElement(element, "TABLE").text = " ".join(map(repr, cpt.ravel().tolist()))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _written(name: str) -> str:
    if not name or name != name.strip() or not _WRITABLE.fullmatch(name):
        raise ValueError(
            f"{name!r} is empty, begins or ends with a blank, or has a character that XML cannot hold: rename it, or "
            "write BIF."
        )
    return name


def format_net(net: Network) -> str:
    """Text of a network as a NET file.

    Names that are no identifiers are replaced by ``x1``, ``x2`` and so on. They become the labels of their nodes and an
    attribute that `parse_net` reads. ValueError if a name or state has a line break.
    """
    identifiers = plain_names(net.names)
    parts = ["net\n{\n}\n"]
    for variable, name in zip(net.variables, identifiers, strict=True):
        states = " ".join(map(_quoted, state_texts(variable, "NET")))
        label = _quoted(variable.name)
        original = "" if name == variable.name else f"  label = {label};\n  bnlab_name = {label};\n"
        parts.append(f"node {name}\n{{\n{original}  states = ({states});\n}}\n")
    for i, cpt in enumerate(net.cpts):
        given = " ".join(identifiers[p] for p in net.dag.parents[i])
        head = f"{identifiers[i]} | {given}" if given else identifiers[i]
        data = str(cpt.tolist()).replace("[", "(").replace("]", ")").replace(",", "")
        parts.append(f"potential ({head})\n{{\n  data = {data};\n}}\n")
    return "".join(parts)


def _quoted(text: str) -> str:
    if "\n" in text:
        raise ValueError(f"{text!r} has a line break, which NET cannot hold: rename it, or write BIF.")
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


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
