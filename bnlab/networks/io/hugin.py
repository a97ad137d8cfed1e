"""Hugin's NET files: nodes with states, and potentials whose data are nested lists, the child's states innermost."""

from __future__ import annotations

import re

from bnlab.networks.io.draft import Draft, NetworkFileError, numbers_of
from bnlab.networks.network import BayesianNetwork

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_COMMENT = re.compile(rf"({_STRING})|(?<![^\s(){{}};])%[^\n]*+")  # 50% is a state
_BLOCK = re.compile(
    r"\s*+(?:(?P<kind>(?:\w+\s++)?node|potential|net|class|utility|decision|function)\b(?P<head>[^{]*+)"
    rf"\{{(?P<body>(?:{_STRING}|[^\"{{}}]|\"(?![^\n}}]*\"))*+)\}}\s*+)"
)
_CLASS = re.compile(r"\s*+class\s++\w++\s*+\{((?:\s*+\w++\s*+=[^;{}]*+;)*+)")
_STATES = re.compile(rf"\bstates\s*=\s*\(((?:{_STRING}|[^)]|\)(?!\s*;))*+)\)\s*;")
_ORIGINAL = re.compile(rf"\bbnlab_name\s*=\s*({_STRING})\s*;")
_UNESCAPED = re.compile(r'\\(["\\])')
_DATA = re.compile(r"\bdata\s*=([^;]*);")
# Some packages write quotation marks inside a string as they are; the last one precedes a blank or the end.
_WORD = re.compile(r'"((?:[^"\\\n]|\\.|"(?=[^\s")])|"(?="(?:\s|$)))*+)"|([^\s"]+)')


def parse_net(text: str) -> BayesianNetwork:
    """Read a network from the text of a NET file; NetworkFileError if it does not hold one."""
    draft = Draft(len(text))
    text = _COMMENT.sub(lambda match: match[1] or "", text)
    inside = _CLASS.match(text)
    if inside is not None:  # the network is the body of a class
        text = text[inside.end() :].rstrip().removesuffix("}")
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
    draft.add_variable(name, _listed(states[1]))
    if original is not None:
        draft.restore(draft.position[name], _unquoted(original[1]))


def _read_potential(draft: Draft, head: str, body: str) -> None:
    names = head.removeprefix("(").removesuffix(")").strip()
    data = _DATA.search(body)
    if data is None:
        raise NetworkFileError(f"potential {head} has no data: a table of numbers is needed.")
    child, given = draft.family(names)
    try:
        values = numbers_of(re.sub("[()]", " ", data[1]))
    except ValueError as error:
        raise NetworkFileError(f"potential {head} has {str(error)!r} where a number is needed.") from None
    draft.add_table(child, given, values)


def _listed(items: str) -> list[str]:
    """States that blanks separate; words of an interval, such as ``(2.45, 4.75]``, belong together."""
    words: list[str] = []
    is_open = False
    for match in _WORD.finditer(items):
        quoted, word = match[1], match[2]
        if quoted is not None:
            words.append(_UNESCAPED.sub(r"\1", quoted))
        elif is_open:
            words[-1] += f" {word}"
        else:
            words.append(word)
        is_open = quoted is None and re.fullmatch(r"[(\[][^)\]]*", words[-1]) is not None
    return words


def _unquoted(word: str) -> str:
    return _UNESCAPED.sub(r"\1", word[1:-1]) if word.startswith('"') and word.endswith('"') else word
