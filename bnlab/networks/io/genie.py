"""GeNIe's files: XDSL, its format since version 2, and DSL, the one before.

References
----------
BayesFusion. The XDSL file format (SMILE documentation). The numbers of a table are in the order of the parents as they
are listed, the first most significant, and then of the node's own states.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from bnlab.networks.io.draft import Draft, NetworkFileError, numbers_of
from bnlab.networks.io.xml_tree import child_text, parse_xml
from bnlab.networks.network import BayesianNetwork

_STRING = r'"(?:[^"\\]|\\(?s:.))*+"'
_TOKEN = re.compile(rf"\s++|//[^\n]*+|({_STRING}|[{{}}=;]|\((?:{_STRING}|[^()\"])*+\)|[^\s{{}}=;(\"]++)")


def parse_xdsl(text: str) -> BayesianNetwork:
    """Read a network from the text of an XDSL file; NetworkFileError if it does not hold one."""
    draft = Draft(len(text))
    root = parse_xml(text)
    nodes = root.find("nodes")
    if nodes is None:
        raise NetworkFileError("the file has no <nodes>.")
    for node in nodes:
        name = node.get("id")
        if node.tag not in ("cpt", "deterministic") or name is None:
            raise NetworkFileError(
                f"node {name!r} is of type {node.tag!r}: only nodes with a table (cpt) and deterministic ones are read."
            )
        draft.add_variable(name, [state.get("id", "") for state in node.findall("state")])
    several = False
    for node in nodes:
        parents = child_text(node, "parents") if node.find("parents") is not None else ""
        given = draft.indices(parents)
        child = draft.position[node.get("id", "")]
        draft.add_table(child, given, _numbers(draft, child, node))
        several = several or len(given) > 1
    genie = root.find("extensions/genie")
    if several and genie is not None and "aGrUM" in genie.get("app", ""):
        warnings.warn(
            "the file was written by aGrUM, which lists parents in another order than GeNIe: its tables of several "
            "parents are read as GeNIe reads them. Exchange networks with pyAgrum as BIFXML.",
            UserWarning,
            stacklevel=4,
        )
    return draft.network()


def _numbers(draft: Draft, child: int, node: Element) -> Sequence[float]:
    variable = draft.variables[child]
    if node.tag == "cpt":
        return checked_numbers(variable.name, child_text(node, "probabilities"))
    states = child_text(node, "resultingstates").split()
    codes = list(map(variable.find, states))
    if -1 in codes:
        raise NetworkFileError(f"the table of {variable.name!r} has {states[codes.index(-1)]!r}, which is no state.")
    return np.eye(variable.arity)[codes].ravel().tolist()


def checked_numbers(name: str, text: str) -> list[float]:
    """Numbers of the table of a variable; NetworkFileError for a word that is no number."""
    try:
        return numbers_of(text)
    except ValueError as error:
        raise NetworkFileError(f"the table of {name!r} has {str(error)!r} where a number is needed.") from None


def parse_dsl(text: str) -> BayesianNetwork:
    """Read a network from the text of a DSL file; NetworkFileError if it does not hold one."""
    draft = Draft(len(text))
    nodes = list(_nodes(list(filter(None, _TOKEN.findall(text)))))
    for name, fields in nodes:
        if fields.get("TYPE") != "CPT":
            raise NetworkFileError(f"node {name!r} is of type {fields.get('TYPE')!r}: only CPT nodes can be read.")
        draft.add_variable(name, _listed(fields.get("NAMESTATES", "")))
    for name, fields in nodes:
        if "PROBABILITIES" not in fields:
            raise NetworkFileError(f"node {name!r} has no PROBABILITIES.")
        given = draft.indices(fields.get("PARENTS", "()")[1:-1])
        numbers = checked_numbers(name, fields["PROBABILITIES"][1:-1])
        draft.add_table(draft.position[name], given, numbers)
    return draft.network()


def _nodes(tokens: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """Name and fields of each node; fields of blocks inside a node are fields of the node."""
    depth = 0
    name: list[str] | None = None
    fields: dict[str, str] = {}
    for before, token, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if token == "node" and depth == 1:
            name, fields = [], {}
        elif token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth == 1 and name is not None:
                yield " ".join(name), fields
                name = None
        elif name is not None and depth == 1:
            name.append(token)
        elif token == "=" and depth > 1:
            fields.setdefault(before, after)


def _listed(items: str) -> list[str]:
    return [item.strip().strip('"') for item in items[1:-1].split(",") if item.strip()]
