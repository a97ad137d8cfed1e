"""BIF files in the usual form, the one that the bnlearn repository has and `write_bif` writes, read as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import product
from math import prod
from operator import itemgetter

import numpy as np

from bnlab.data.variable import Variable
from bnlab.graphs.dag import Dag
from bnlab.networks.io.bif_reader import normalise
from bnlab.networks.network import ROW_TOLERANCE, BayesianNetwork

_MARKS = b"(){}[];,|"
_NO_MARKS = bytes(set(range(256)) - set(_MARKS))
_COMMENT = re.compile(r"(?<![^\s{}()\[\];,|])//[^\n]*")
_TO_SEMICOLONS = bytes.maketrans(b"(){}[]", b";;;;;;")


def usual_network(text: str) -> BayesianNetwork | None:
    """As `Reader.network`, which reads any BIF text; None if the text is wrong or not in the usual form.

    That is: no quotes, properties and ``/* .. */``; declarations first; ``(STATE, ..) NUMBER, ..;`` once for each
    configuration of the parents, ``table NUMBER, ..;`` where there are none.
    """
    if "//" in text:
        text = _COMMENT.sub("", text)
    # What begins a quoted name or a comment is still there if one of these was no comment but a part of that.
    if '"' in text or "//" in text or "/*" in text:
        return None
    try:
        data = text.encode()
        blocks = _Blocks(data.translate(_TO_SEMICOLONS).decode().split(";"), len(data))
        # Pieces between marks are known to be right then, but for the numbers; equal marks say that their places are.
        if b"".join(blocks.marks) != data.translate(None, _NO_MARKS):
            return None
        return blocks.network()
    except (ValueError, KeyError, IndexError):
        return None


class _Blocks:
    """Blocks of a text without quotes and comments; ValueError, KeyError or IndexError for an unusual one.

    Attributes
    ----------
    marks : list of bytes
        The punctuation that the text must have, in order, so that the blocks are right.
    """

    def __init__(self, pieces: list[str], size: int) -> None:
        self._pieces = pieces
        self._size = size
        self._commas = 0
        self._states: list[list[str]] = []
        self._variables: list[Variable] = []
        self._position: dict[str, int] = {}
        self._families: dict[int, tuple[tuple[int, ...], list[str]]] = {}
        self._blank: list[str] = []
        self.marks: list[bytes] = []
        at, last = 0, len(pieces) - 1
        while at < last:
            match pieces[at].split():
                case ["probability"]:
                    at = self._read_probability(at)
                case ["variable", name]:
                    at = self._read_variable(at, name)
                case ["network"] | ["network", _]:
                    self._blank.append(pieces[at + 1])
                    self.marks.append(b"{}")
                    at += 2
                case _:
                    raise ValueError
        if "".join([*self._blank, *pieces[at:]]).strip():
            raise ValueError

    def _read_variable(self, at: int, name: str) -> int:
        _, kind, count, gap, listed, end, close = self._pieces[at : at + 7]
        states = listed.replace(",", " ").split()
        if kind.split() != ["type", "discrete"] or count.split() != [str(len(states))] or name in self._position:
            raise ValueError
        self._blank += gap, end, close
        self.marks.append(b"{[]{" + b"," * (len(states) - 1) + b"};}")
        self._position[name] = len(self._variables)
        self._states.append(states)
        self._variables.append(Variable._of_checked(name, tuple(states)))
        return at + 7

    def _read_probability(self, at: int) -> int:
        pieces = self._pieces
        child, *given = [self._position[name] for name in pieces[at + 1].replace("|", " ").replace(",", " ").split()]
        if child in self._families or len({child, *given}) <= len(given):
            raise ValueError
        self._blank.append(pieces[at + 2])
        at += 3
        commas = b"," * (len(self._states[child]) - 1)
        if not given:
            table, numbers = pieces[at].split(None, 1)
            if table != "table":
                raise ValueError
            self._families[child] = (), [numbers]
            self._blank.append(pieces[at + 1])
            self.marks.append(b"(){" + commas + b";}")
            return at + 2
        q = prod([len(self._states[p]) for p in given])
        self._commas += q * len(commas)
        if self._commas > self._size:  # so that few words cannot ask for marks without end
            raise ValueError
        end = at + 3 * q
        rows = dict(zip(map(str.strip, pieces[at + 1 : end : 3]), pieces[at + 2 : end : 3], strict=True))
        parents = tuple(sorted(given))
        labels = self._labels(parents, given, ", " if ", " in pieces[at + 1] else ",")
        self._families[child] = parents, [rows[label] for label in labels]
        self._blank += pieces[at : end + 1 : 3]
        inner = b"," * (len(given) - 1)
        self.marks += b"(|", inner, b"){", (b"(" + inner + b")" + commas + b";") * q, b"}"
        return end + 1

    def _labels(self, parents: tuple[int, ...], given: list[int], comma: str) -> Iterable[str]:
        """Labels of the rows as the file writes them, with its order of the parents; the last of `parents` fastest."""
        states = [self._states[p] for p in parents]
        if len(states) == 1:
            return states[0]
        configurations: Iterable[tuple[str, ...]] = product(*states)
        if list(parents) != given:
            configurations = map(itemgetter(*map(parents.index, given)), configurations)
        return map(comma.join, configurations)

    def network(self) -> BayesianNetwork | None:
        variables = self._variables
        families = [self._families[i] for i in range(len(variables))]
        arities = [v.arity for v in variables]
        numbers = ",".join([row for _, rows in families for row in rows])
        if "_" in numbers:  # Python would read 0_5 as 5
            return None
        values = np.fromiter(map(float, numbers.split(",")), np.float64)
        widths = np.repeat(arities, [len(rows) for _, rows in families])
        with np.errstate(over="ignore", invalid="ignore"):
            sums = np.add.reduceat(values, np.cumsum(widths) - widths)
            # Sums by rows differ from these in their last bits, so that half of the tolerance is safe.
            exact = values.min() >= 0 and np.abs(sums - 1).max() <= ROW_TOLERANCE / 2
            tables, end = [], 0
            for (parents, rows), r in zip(families, arities, strict=True):
                start, end = end, end + len(rows) * r
                tables.append(values[start:end].reshape(*[arities[p] for p in parents], r))
            if not exact and any(normalise(table) is not None for table in tables):
                return None
        dag = Dag([v.name for v in variables], [parents for parents, _ in families])
        return BayesianNetwork._of_checked(dag, variables, tables)
