"""Text of a BIF file (its grammar: `bnlab.networks.io.bif`): its tokens, the error that names a line, and writing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from bnlab._runtime.files import replace_file
from bnlab.data.variable import Variable, shortened
from bnlab.networks.types import Network

PUNCTUATION = frozenset("{}()[];,|")
END = ""
WORD = r'[^\s{}()\[\];,|"]++'
STRING = r'"(?:[^"\\]|\\(?s:.))*+"'

_SKIP = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
# A comment or a name without an end runs to the end of the file as one token, so that reading stays linear.
_OPEN = r'(?s:/\*.*|".*)'
TOKEN = re.compile(rf"{_SKIP}({STRING}|{_OPEN}|[{{}}()\[\];,|]|{WORD}|\Z)")
_MESSAGE = 1000
_PLAIN = re.compile(rf"(?!//|/\*){WORD}")


class BifError(ValueError):
    """A text that is not a Bayesian network in BIF; the message begins with its file, if it has one, and the line.

    Attributes
    ----------
    line : int
        Counted from 1.
    """

    def __init__(self, line: int, message: str, path: object = None) -> None:
        self.line, self.message = line, message
        cut = message if len(message) <= _MESSAGE else f"{message[: _MESSAGE // 2]} … {message[-_MESSAGE // 2 :]}"
        super().__init__(f"{'' if path is None else f'{path}, '}line {line}: {cut}")


def tokens_of(text: str) -> list[str]:
    """Tokens of a text, the last `END`."""
    if '"' not in text and "//" not in text and "/*" not in text:
        for mark in PUNCTUATION:
            text = text.replace(mark, f" {mark} ")
        return [*text.split(), END]
    tokens: list[str] = TOKEN.findall(text)
    if tokens[-2:] == [END, END]:
        tokens.pop()
    return tokens


def unquoted(token: str) -> str:
    """A name without its double quotes."""
    if not token.startswith('"'):
        return token
    return re.sub(r'\\(["\\])', r"\1", token[1:-1])


def write_bif(net: Network, path: str | Path) -> None:
    """Write a Bayesian network as a BIF file, UTF-8; `bnlab.networks.read_bif` gives the very same network back.

    States that are not strings are written as their text, and come back as strings.

    Raises
    ------
    ValueError
        If two states of a variable have the same text.
    OSError
        If the file cannot be written.
    """
    replace_file(path, format_bif(net))


def format_bif(net: Network) -> str:
    """Text of a Bayesian network in BIF; ValueError if two states of a variable have the same text."""
    states = [_state_names(v) for v in net.variables]
    parts = ["network unknown {\n}\n"]
    for variable, names in zip(net.variables, states, strict=True):
        parts.append(
            f"variable {_quoted(variable.name)} {{\n  type discrete [ {len(names)} ] {{ {', '.join(names)} }};\n}}\n"
        )
    parts += [_format_family(net, i, states) for i in range(len(net))]
    return "".join(parts)


def _state_names(variable: Variable) -> list[str]:
    names = [_quoted(str(state)) for state in variable.states]
    if len(set(names)) < len(names):
        raise ValueError(
            f"variable {variable.name!r} has the states {shortened(variable.states)}: two have the same text, "
            "which BIF cannot distinguish; rename one."
        )
    return names


def _quoted(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _format_family(net: Network, i: int, states: Sequence[Sequence[str]]) -> str:
    parents = net.dag.parents[i]
    rows = [", ".join(map(repr, row)) for row in net.cpts[i].reshape(-1, net.arities[i]).tolist()]
    head = _quoted(net.names[i])
    if not parents:
        return f"probability ( {head} ) {{\n  table {rows[0]};\n}}\n"
    given = ", ".join(_quoted(net.names[p]) for p in parents)
    labels = product(*(states[p] for p in parents))
    lines = [f"  ({', '.join(label)}) {row};\n" for label, row in zip(labels, rows, strict=True)]
    return f"probability ( {head} | {given} ) {{\n{''.join(lines)}}}\n"
