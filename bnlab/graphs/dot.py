"""Graphs in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterable


def format_dot(
    names: Iterable[str], directed: Iterable[tuple[str, str]], undirected: Iterable[tuple[str, str]] = ()
) -> str:
    """Text of a graph in DOT; undirected edges have no arrowhead."""
    lines = [f"  {_quoted(name)};\n" for name in names]
    lines += [f"  {_quoted(u)} -> {_quoted(v)};\n" for u, v in directed]
    lines += [f"  {_quoted(u)} -> {_quoted(v)} [dir=none];\n" for u, v in undirected]
    return f"digraph {{\n{''.join(lines)}}}\n"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
