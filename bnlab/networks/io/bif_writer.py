"""Bayesian networks as text in BIF (its grammar: `bnlab.networks.io.bif`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from urllib.parse import quote

from bnlab._runtime.files import replace_file
from bnlab.networks.io.names import plain_names, plain_states, state_texts
from bnlab.networks.types import Network

# Names that need no quotation marks: no mark of the grammar, no blank and nothing that begins a comment.
_PLAIN = re.compile(r'(?:(?!//|/\*)[^\s{}()\[\];,|"\x00-\x1f])++')


def write_bif(net: Network, path: str | Path, *, portable: bool = False) -> None:
    """Write a Bayesian network as a BIF file, UTF-8; `bnlab.networks.read_bif` gives the very same network back.

    States that are not strings are written as their text, and come back as strings.

    Parameters
    ----------
    net : BayesianNetwork
    path : str or Path
    portable : bool
        Replace names and states that other packages cannot read, such as "(2.45, 4.75]", by plain ones (``x1``,
        ``s2``). Properties of the variables hold the originals, percent-encoded; `read_bif` restores them.

    Raises
    ------
    ValueError
        If two states of a variable have the same text.
    OSError
        If the file cannot be written.
    """
    replace_file(path, format_bif(net, portable=portable))


def format_bif(net: Network, *, portable: bool = False) -> str:
    """Text of a Bayesian network in BIF; see `write_bif`."""
    originals = [state_texts(variable, "BIF") for variable in net.variables]
    if portable:
        names = plain_names(net.names)
        states = [plain_states(texts) for texts in originals]
    else:
        names, states = [_quoted(name) for name in net.names], [list(map(_quoted, texts)) for texts in originals]
    parts = ["network unknown {\n}\n"]
    for i, texts in enumerate(states):
        parts.append(f"variable {names[i]} {{\n  type discrete [ {len(texts)} ] {{ {', '.join(texts)} }};\n")
        if portable and names[i] != net.names[i]:
            parts.append(f"  property bnlab_name = {_encoded(net.names[i])};\n")
        if portable and texts != originals[i]:
            parts.append(f"  property bnlab_states = {' '.join(map(_encoded, originals[i]))};\n")
        parts.append("}\n")
    parts += [_format_family(net, i, names, states) for i in range(len(net))]
    return "".join(parts)


def _quoted(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else _in_quotes(name)


def _encoded(name: str) -> str:
    """Name in letters, digits and percent signs, which no reader of properties takes for a mark; "%" for no name."""
    return quote(name, safe="") or "%"


def _in_quotes(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _format_family(net: Network, i: int, names: Sequence[str], states: Sequence[Sequence[str]]) -> str:
    parents = net.dag.parents[i]
    rows = [", ".join(map(repr, row)) for row in net.cpts[i].reshape(-1, net.arities[i]).tolist()]
    if not parents:
        return f"probability ( {names[i]} ) {{\n  table {rows[0]};\n}}\n"
    given = ", ".join(names[p] for p in parents)
    labels = product(*(states[p] for p in parents))
    lines = [f"  ({', '.join(label)}) {row};\n" for label, row in zip(labels, rows, strict=True)]
    return f"probability ( {names[i]} | {given} ) {{\n{''.join(lines)}}}\n"
