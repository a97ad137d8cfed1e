"""Bayesian networks as text of Hugin's NET files (see `bnlab.networks.io.hugin`)."""

from __future__ import annotations

from bnlab.networks.io.names import plain_names, state_texts
from bnlab.networks.types import Network


def format_net(net: Network) -> str:
    """Text of a network as a NET file.

    Names that are no identifiers are replaced by ``x1``, ``x2`` and so on. They become the labels of their nodes and an
    attribute that `parse_net` reads.
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
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
