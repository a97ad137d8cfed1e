"""Bayesian networks as text in XMLBIF (see `bnlab.networks.io.xmlbif`)."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bnlab.networks.io.names import state_texts
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
