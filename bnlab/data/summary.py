"""Summary of a table as text and as HTML: its size, and the names and states of its first variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from bnlab.data.variable import Variable, shortened
from bnlab.graphs.dag import counted

_SHOWN_VARIABLES = 12


class Summary(NamedTuple):
    """Summary of a table.

    Attributes
    ----------
    title : str
        Size, target and number of missing values.
    variables : list of (str, int, str)
        Name, arity and states of the first variables.
    more : str
        Number of other variables, as text; empty if there are none.
    """

    title: str
    variables: list[tuple[str, int, str]]
    more: str

    @classmethod
    def of(
        cls,
        variables: Sequence[Variable],
        n_rows: int,
        target: str | None,
        gaps: Mapping[str, int],
        marks: Sequence[str] = (),
    ) -> Summary:
        """Summarise a table of N rows.

        `gaps` has the number of missing values of each variable that has some, `marks` what stood for them in a file.
        """
        title = f"Table: {counted(n_rows, 'row')}, {counted(len(variables), 'variable')}"
        if target is not None:
            title += f", target {target!r}"
        if gaps:
            title += f", {counted(sum(gaps.values()), 'missing value')}"
        if marks:
            title += f" (missing in the file: {', '.join(map(repr, marks))})"
        missing = {name: f"; {n:,} missing ({n / n_rows:.0%})" for name, n in gaps.items()}
        shown = [(v.name, v.arity, shortened(v.states) + missing.get(v.name, "")) for v in variables[:_SHOWN_VARIABLES]]
        more = len(variables) - len(shown)
        return cls(title, shown, f"and {more} more variables" if more else "")

    def weighing(self, total: float) -> Summary:
        """Same summary of rows with weights."""
        return self._replace(title=f"{self.title}, weights that sum to {total:,.12g}")

    def text(self) -> str:
        """Return the summary as lines for a terminal."""
        width = max(len(name) for name, _, _ in self.variables)
        lines = [f"  {name:<{width}}  {r} state{'s' * (r != 1)}: {states}" for name, r, states in self.variables]
        return "\n".join([self.title, *lines, *([f"  ... {self.more}"] if self.more else [])])

    def html(self) -> str:
        """Return the summary as a table for a notebook."""
        rows = [f"<th scope='row'>{escape(a)}</th><td>{r}</td><td>{escape(b)}</td>" for a, r, b in self.variables]
        if self.more:
            rows.append(f"<td colspan='3'>{self.more}</td>")
        head = "<thead><tr><th scope='col'>variable</th><th scope='col'>states</th><th scope='col'></th></tr></thead>"
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<table><caption>{escape(self.title)}</caption>{head}<tbody>{body}</tbody></table>"
