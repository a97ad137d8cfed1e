"""Bayesian networks as text in the Interchange Format (BIF), which `bnlab.networks.io.bif` reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from bnlab._runtime.files import replace_file
from bnlab.data.variable import Variable, shortened
from bnlab.networks.io.bif_text import WORD
from bnlab.networks.types import Network

_PLAIN = re.compile(rf"(?!//|/\*){WORD}")


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
    """Text of a Bayesian network in BIF.

    Raises
    ------
    ValueError
        If two states of a variable have the same text.
    """
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
            "which BIF cannot tell apart; rename one."
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
