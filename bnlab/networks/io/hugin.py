"""Hugin's NET files: nodes with states, and potentials whose data are nested lists, the child's states innermost."""

from __future__ import annotations

import re

from bnlab.networks.io.draft import Draft, NetworkFileError, numbers_of
from bnlab.networks.network import BayesianNetwork

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_COMMENT = re.compile(rf"({_STRING})|%[^\n]*+")
_BLOCK = re.compile(
    r"\s*+(?:(?P<kind>(?:\w+\s++)?node|potential|net|class|utility|decision|function)\b(?P<head>[^{]*+)"
    rf"\{{(?P<body>(?:{_STRING}|[^\"{{}}]|\"(?![^\n}}]*\"))*+)\}}\s*+)"
)
_STATES = re.compile(rf"\bstates\s*=\s*\(((?:{_STRING}|[^\")])*)\)\s*;")
_ORIGINAL = re.compile(rf"\bbnlab_name\s*=\s*({_STRING})\s*;")
_DATA = re.compile(r"\bdata\s*=([^;]*);")
_WORD = re.compile(rf"{_STRING}|[^\s\"]+")


def parse_net(text: str) -> BayesianNetwork:
    """Read a network from the text of a NET file; NetworkFileError if it does not hold one."""
    draft = Draft(len(text))
    text = _COMMENT.sub(lambda match: match[1] or "", text)
    tables = []
    at = 0
    while at < len(text.rstrip()):
        block = _BLOCK.match(text, at)
        if block is None:
            raise NetworkFileError(f"found {text[at : at + 60].split()[0]!r} where a node or a potential is needed.")
        at = block.end()
        kind, head = " ".join(block["kind"].split()), block["head"].strip()
        if kind in ("node", "discrete node"):
            _read_node(draft, head, block["body"])
        elif kind == "potential":
            tables.append((head, block["body"]))
        elif kind not in ("net", "class"):
            raise NetworkFileError(f"{kind} {head!r}: only networks of discrete chance nodes can be read.")
    for head, body in tables:
        _read_potential(draft, head, body)
    return draft.network()


def _read_node(draft: Draft, name: str, body: str) -> None:
    states = _STATES.search(body)
    if states is None:
        raise NetworkFileError(f"node {name!r} has no states = ( .. ).")
    original = _ORIGINAL.search(body)
    draft.add_variable(name, [_unquoted(word) for word in _WORD.findall(states[1])])
    if original is not None:
        draft.restore(draft.position[name], _unquoted(original[1]))


def _read_potential(draft: Draft, head: str, body: str) -> None:
    names = head.removeprefix("(").removesuffix(")").strip()
    data = _DATA.search(body)
    if data is None:
        raise NetworkFileError(f"potential {head} has no data: a table of numbers is needed.")
    child, _, given = names.partition("|") if names not in draft.position else (names, "", "")
    found = draft.indices(child)
    if len(found) != 1:
        raise NetworkFileError(f"potential {head} is of {len(found)} variables: one is needed before the bar.")
    try:
        values = numbers_of(re.sub("[()]", " ", data[1]))
    except ValueError as error:
        raise NetworkFileError(f"potential {head} has {str(error)!r} where a number is needed.") from None
    draft.add_table(found[0], draft.indices(given), values)


def _unquoted(word: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", word[1:-1]) if word.startswith('"') and word.endswith('"') else word
