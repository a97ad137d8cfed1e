"""Reading of the text of a BIF file (its grammar: `bnlab.networks.io.bif`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NoReturn
from urllib.parse import unquote

import numpy as np

from bnlab._runtime.names import nearest
from bnlab.networks.io.bif_text import BifError, Masked
from bnlab.networks.io.draft import Draft, NetworkFileError, in_digits, numbers_of
from bnlab.networks.network import BayesianNetwork

_KEYWORDS = ("network", "variable", "probability")
# A block ends at the brace that the next block, or nothing, follows: names may contain braces.
_END = re.compile(r"\}[\s;]*+(?=(?:network|variable|probability|utility|function|decision)[\s(]|\Z)")
_BLANKS = re.compile(r"\s*+")
_NAME = re.compile(r"\s*+(?:network|variable)\b([^{]*+)\{")
_FAMILY = re.compile(r"\s*+probability\s*+\(((?:[^)]|\)(?!\s*+\{))*+)\)\s*+\{")
_TYPE = re.compile(r"\s*+type\s++(\w++)\s*+(?:\[\s*+([0-9]++)\s*+\]\s*+)?\{([^}]*+)\}\s*+;?")
_USUAL_VARIABLE = re.compile(
    r"variable\s++([^\s{\x01]++)\s*+\{\s*+type\s++discrete\s*+\[\s*+([0-9]{1,9}+)\s*+\]\s*+\{([^}\x01]++)\}\s*+;?\s*+"
)
_PROPERTY = re.compile(r"\s*+(?:property\b[^;]*+)?;")
_ORIGINAL = re.compile(r"\bproperty\s+bnlab_(name|states)\s*=\s*(.*?)\s*;", re.DOTALL)
_VALUES = re.compile(r"\s*+(table|default)\b([^;]*+);")
_ROW = re.compile(r"\s*+\((.*?)\)([^();]*+);", re.DOTALL)
_OUTSIDE = re.compile(r",(?![^(\[,]*[)\]])")  # no comma of an interval such as (2.45, 4.75]
_USUAL_ROW = re.compile(r"([^();]*+)\(([^();]*+)\)([^();]*+);")
_OTHER = {
    **dict.fromkeys(("utility", "function", "decision"), "an influence diagram"),
    **dict.fromkeys(("credal", "lower", "upper", "envelope"), "a credal network, with intervals of probabilities"),
}
_DEFAULT = -1
Rows = dict[int, list[float]]


class Reader:
    """Reader of one text; every step moves forward, so reading takes linear time."""

    def __init__(self, text: str) -> None:
        self._masked = Masked(text)
        self._text = self._masked.text
        self._draft = Draft(len(text))
        self._places: dict[str, int] = {}

    def network(self) -> BayesianNetwork:
        """The network that the text describes; BifError if it does not describe one."""
        families = []
        at = 0
        for at, end in self._blocks():
            if self._text.startswith("probability", at):
                families.append((at, end))
            elif self._text.startswith("variable", at):
                self._read_variable(at, end)
            else:
                self._name(at, end)
        for at, end in families:  # they may precede the variables
            self._read_family(at, end)
        try:
            return self._draft.network()
        except NetworkFileError as error:
            self._fail(self._places.get(error.variable or "", len(self._text)), error.message)

    def _blocks(self) -> Iterator[tuple[int, int]]:
        """Begin of each block and position of the brace that closes it."""
        text = self._text
        at = len(text) - len(text.lstrip("; \t\r\n"))
        while at < len(text):
            if not text.startswith(_KEYWORDS, at):
                word = re.split(r"\W", self._word(at, len(text)), maxsplit=1)[0]
                if word in _OTHER:
                    self._fail(at, f"a block {word!r} begins here: the file holds {_OTHER[word]}, {_NOT_READ}")
                found = self._word(at, len(text))
                self._fail(at, f"found {found!r} where a 'network', 'variable' or 'probability' block begins.")
            end = _END.search(text, at)
            if end is None:
                self._fail(at, "the block that begins here is never closed: '}' is missing.")
            yield at, end.start()
            at = end.end()

    def _skipped(self, at: int) -> int:
        """Position after blanks."""
        match = _BLANKS.match(self._text, at)
        return at if match is None else match.end()

    def _name(self, at: int, end: int) -> tuple[str, int]:
        """Name of a block and the begin of its content."""
        head = _NAME.match(self._text, at, end)
        if head is None or not (head[1].strip() or self._text.startswith("network", at)):
            self._fail(at, "a name and '{' are needed here.")
        return self._masked.name(head[1]), head.end()

    def _read_variable(self, at: int, end: int) -> None:
        usual = _USUAL_VARIABLE.fullmatch(self._text, at, end)
        if usual is not None and usual[3].count(",") + 1 == int(usual[2]):
            self._add_variable(at, usual[1], [item.strip() for item in usual[3].split(",")])
            return
        name, here = self._name(at, end)
        states: list[str] | None = None
        originals: list[tuple[str, str]] = []
        while (here := self._skipped(here)) < end:
            kind = _TYPE.match(self._text, here, end)
            skipped = _PROPERTY.match(self._text, here, end)
            if kind is not None and states is None:
                states = self._states(name, here, kind)
                here = kind.end()
            elif skipped is not None:
                originals += _ORIGINAL.findall(skipped[0])
                here = skipped.end()
            else:
                self._fail(here, f"found {self._word(here, end)!r}, which does not belong in this block.")
        if states is None:
            self._fail(at, f"variable {name!r} has no 'type discrete [ n ] {{ .. }};' line.")
        self._add_variable(at, name, states)
        try:
            for what, value in originals:
                if what == "name":
                    self._draft.restore(self._draft.position[name], _decoded(value))
                else:
                    self._draft.restore(self._draft.position[name], states=list(map(_decoded, value.split())))
        except NetworkFileError as error:
            self._fail(at, error.message)

    def _add_variable(self, at: int, name: str, states: list[str]) -> None:
        try:
            self._draft.add_variable(name, states)
        except NetworkFileError as error:
            self._fail(at, error.message)

    def _states(self, name: str, at: int, found: re.Match[str]) -> list[str]:
        kind, count, items = found.groups()
        if kind != "discrete":
            self._fail(at, f"variable {name!r} is of type {kind!r}: only discrete variables can be read.")
        states = [self._masked.name(item) for item in items.split(",") if item.strip()]
        if count is not None and len(states) != int(count):
            # Without commas blanks separate states; with too many, those without a blank belong to states.
            ways = [re.split(r",\s", items), _OUTSIDE.split(items)] if "," in items else [items.split()]
            listed = [list(map(self._masked.name, pieces)) for pieces in ways]
            states = next((names for names in listed if len(names) == int(count)), states)
            if len(states) != int(count):
                self._fail(at, f"variable {name!r} declares {count} states and lists {len(states)}.")
        return states

    def _read_family(self, at: int, end: int) -> None:
        head = _FAMILY.match(self._text, at, end)
        if head is None:
            self._fail(at, "'probability ( NAME | PARENT, .. ) {' is needed here.")
        child, given = self._family(at, head[1])
        draft = self._draft
        try:
            values = self._usual_rows(child, given, head.end(), end)
            if values is None:
                draft.check_family(child, given)
                values = self._table(child, given, self._rows(child, given, head.end(), end), at)
            draft.add_table(child, given, values)
            self._places[draft.variables[child].name] = at
        except BifError:
            raise
        except NetworkFileError as error:
            self._fail(at, error.message)

    def _family(self, at: int, head: str) -> tuple[int, list[int]]:
        """Child and parents that the head of a block names; a bar separates them, or is part of a name."""
        known = self._draft.position
        name, _, items = head.partition("|")
        try:
            return known[name.strip()], [known[item.strip()] for item in items.split(",")] if items else []
        except KeyError:
            return self._unusual_family(at, head)

    def _unusual_family(self, at: int, head: str) -> tuple[int, list[int]]:
        """Family of names with quotation marks, bars or commas, or without commas between them."""
        known = self._draft.position
        bars = [k for k, character in enumerate(head) if character == "|"]
        for bar in [*bars, len(head)]:
            child, given = self._masked.name(head[:bar]), head[bar + 1 :]
            if child in known:
                return known[child], self._parents(at, given) if given.strip() else []
        names = self._masked.names(re.sub(r"[\s|,]++", ",", head.strip()))
        if not any(names):
            self._fail(at, "a probability block names its variable: probability ( NAME | PARENT, .. ).")
        for name in names if all(name in known for name in names[1:]) else [self._masked.name(head.split("|")[0])]:
            if name not in known:
                self._fail(at, f"no variable {name!r} is declared; {nearest(name, known)}")
        return known[names[0]], [known[name] for name in names[1:]]

    def _parents(self, at: int, given: str) -> list[int]:
        known = self._draft.position
        for items in (given, ",".join(given.split())):
            most = items.count(",") + 1
            names = self._masked.names(items)
            if all(name in known for name in names):
                return [known[name] for name in names]
            for n in range(most - 1, 0, -1):  # names with commas
                found = self._masked.known_names(items, [known] * n)
                if found is not None:
                    return [known[name] for name in found]
        name = next(name for name in self._masked.names(given) if name not in known)
        return self._fail(at, f"no variable {name!r} is declared; {nearest(name, known)}")

    def _usual_rows(self, child: int, given: list[int], at: int, end: int) -> list[float] | None:
        """Table of a block that lists one row for each configuration, plainly; None for any other block."""
        body = self._text[at:end]
        variables = self._draft.variables
        r = variables[child].arity
        if not given:
            begin, _, values = body.strip().partition("table")
            if begin or not values.endswith(";"):
                return None
            rows = [values[:-1]]
        else:
            found = _USUAL_ROW.findall(body)
            q = len(found)
            if not q or not body.count("(") == body.count(")") == body.count(";") == q:
                return None
            if "".join([before for before, _, _ in found]).strip() or body[body.rindex(";") + 1 :].strip():
                return None
            labelled = {label.strip(): values for _, label, values in found}
            comma = ", " if ", " in found[0][1] else ","
            states: list[tuple[str, ...]] = [variables[p].states for p in given]  # type: ignore[misc]
            try:
                rows = [labelled[label] for label in map(comma.join, product(*states))]
            except KeyError:
                return None
            if len(rows) != q:
                return None
        if any(row.count(",") != r - 1 for row in rows) or "_" in (numbers := ",".join(rows)):
            return None
        try:
            return list(map(float, numbers.split(",")))
        except ValueError:
            return None

    def _rows(self, child: int, given: list[int], at: int, end: int) -> Rows:
        """Numbers of each row of a block, by configuration; the default row under `_DEFAULT`."""
        rows: Rows = {}
        r = self._draft.variables[child].arity
        while (here := self._skipped(at)) < end:
            found: list[tuple[int, list[float]]] = []
            if (row := _ROW.match(self._text, here, end)) is not None:
                found = [(self._configuration(given, row[1], here), self._numbers(row[2], r, here))]
                at = row.end()
            elif (values := _VALUES.match(self._text, here, end)) is not None:
                at = values.end()
                if values[1] == "default":
                    found = [(_DEFAULT, self._numbers(values[2], r, here))]
                else:
                    q = self._draft.configurations(given)
                    numbers = self._numbers(values[2], q * r, here)
                    # The state of the child changes slowest here, the last parent's fastest.
                    found = [(j, numbers[j::q]) for j in range(q)]
            elif (skipped := _PROPERTY.match(self._text, here, end)) is not None:
                at = skipped.end()
            else:
                self._fail(here, f"found {self._word(here, end)!r}, which does not belong in this block.")
            for j, row_values in found:
                if j in rows:
                    self._fail(here, f"{self._row_name(child, given, j)} is given twice.")
                rows[j] = row_values
        return rows

    def _table(self, child: int, given: list[int], rows: Rows, at: int) -> list[float]:
        """Numbers of a table, row after row."""
        default = rows.pop(_DEFAULT, None)
        q = self._draft.configurations(given)
        if default is None and len(rows) < q:
            missing = next(j for j in range(q) if j not in rows)
            self._fail(at, f"{self._row_name(child, given, missing)} is missing.")
        flat = np.empty(self._draft.reserve(child, given))
        if default is not None:
            flat[:] = default
        if rows:
            flat[list(rows)] = list(rows.values())
        return flat.ravel().tolist()

    def _configuration(self, given: list[int], items: str, at: int) -> int:
        """Mixed-radix code of the parents' states between parentheses, the first parent most significant."""
        variables = [self._draft.variables[p] for p in given]
        states = self._masked.known_names(items, [variable.states for variable in variables])
        if states is None:
            states = self._masked.names(items) if items.strip() else []
            if len(states) != len(given) and "\n" in items:
                self._fail(at, "the row that begins here has no ';' at its end.")
            if len(states) != len(given):
                self._fail(at, f"{len(states)} parent states where {len(given)} are needed.")
        j = 0
        try:
            for variable, state in zip(variables, states, strict=True):
                j = j * variable.arity + variable.code(state)
        except ValueError as error:
            self._fail(at, str(error))
        return j

    def _row_name(self, child: int, given: list[int], j: int) -> str:
        name = self._draft.variables[child].name
        if j == _DEFAULT:
            return f"the default row of {name!r}"
        states = []
        for p in reversed(given):
            j, code = divmod(j, self._draft.variables[p].arity)
            states.append(str(self._draft.variables[p].states[code]))
        return f"the row ({', '.join(reversed(states))}) of {name!r}"

    def _numbers(self, text: str, n: int, at: int) -> list[float]:
        try:
            values = numbers_of(text)
        except ValueError as error:
            word = str(error)
            if any(part in _OTHER for part in re.split(r"\W", word)):
                self._fail(at, f"found {word!r}: the file holds {_OTHER['credal']}, {_NOT_READ}")
            self._fail(at, f"found {self._masked.shown(word)!r} where a number or ';' is needed.")
        if len(values) != n:
            self._fail(at, f"{len(values)} values where {in_digits(n)} are needed.")
        return values

    def _word(self, at: int, end: int) -> str:
        return self._masked.shown(self._text[at : min(end, at + 60)].split()[0])

    def _fail(self, at: int, message: str) -> NoReturn:
        """Raise the error of the line of a position."""
        raise BifError(self._text.count("\n", 0, at) + 1, message)


def _decoded(name: str) -> str:
    """Original name that a property holds; see `bnlab.networks.io.bif_writer`."""
    return "" if name == "%" else unquote(name)


_NOT_READ = "and only Bayesian networks with one table for each variable can be read."
