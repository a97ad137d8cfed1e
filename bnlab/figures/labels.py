"""Labels of scores and skeleton learners in figures, with their order and style, and escaped texts for plotly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, NamedTuple

from bnlab.figures.svg import shortened
from bnlab.figures.theme import colour, symbol

SCORE_LABELS = {
    "ll": "LL",
    "aic": "AIC",
    "bic": "BIC/MDL",
    "mdl": "BIC/MDL",
    "nml": "NML",
    "mit": "MIT(0.99)",
    "mit99": "MIT(0.99)",
    "k2": "K2",
    "bdeu": "BDeu(1)",
    "bdeu1": "BDeu(1)",
    "bdeu4": "BDeu(4)",
    "bdeu16": "BDeu(16)",
}
# Carvalho 2009, Table 2.
PAPER_SCORES = ("LL", "BIC/MDL", "NML", "MIT(0.99)", "K2", "BDeu(1)", "BDeu(4)", "BDeu(16)")

# Properties of every JavaScript object: plotly looks up the names of an axis in an object, and would find these there.
OBJECT_PROPERTIES = frozenset(
    [
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
        *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
    ]
)
# Villanueva and Maciel 2012, section 4.
ALGORITHM_LABELS = {"opthpc": "OptHPC", "hpc": "HPC", "mmpc": "MMPC", "getpc": "GetPC", "heupc": "HeuPC"}


class Methods(NamedTuple):
    """Labels of methods in figures.

    Attributes
    ----------
    labels : mapping of str to str
        Label of each name, which is in lower case.
    order : tuple of str
        Labels of the methods of the paper, in the order of the paper.

    Examples
    --------
    >>> score_label("mdl"), score_label("BDeu16"), score_label("mine"), algorithm_label("opthpc")
    ('BIC/MDL', 'BDeu(16)', 'mine', 'OptHPC')
    >>> in_paper_order(["k2", "mine", "ll", "K2"])
    ['LL', 'K2', 'mine']
    """

    labels: Mapping[str, str]
    order: tuple[str, ...]

    def label(self, name: str) -> str:
        """Label of a name; an unknown name is its own label."""
        return self.labels.get(name.lower(), name)

    def in_order(self, names: Iterable[str]) -> list[str]:
        """Distinct labels: first those of the paper, in its order, then the others."""
        last = len(self.order)
        return sorted(
            dict.fromkeys(map(self.label, names)),
            key=lambda label: self.order.index(label) if label in self.order else last,
        )

    def style(self, label: str) -> tuple[str, str]:
        """Colour and marker shape of a method, the same in every figure."""
        i = self.order.index(label) if label in self.order else sum(map(ord, label))
        return colour(i), symbol(i)


SCORES = Methods(SCORE_LABELS, PAPER_SCORES)
score_label, in_paper_order, score_style = SCORES.label, SCORES.in_order, SCORES.style
SKELETONS = Methods(ALGORITHM_LABELS, tuple(ALGORITHM_LABELS.values()))
algorithm_label, algorithms_in_order, algorithm_style = SKELETONS.label, SKELETONS.in_order, SKELETONS.style


def algorithm_dash(label: str) -> str:
    """Dash of a skeleton learner's curve: GetPC is dashed, because its curve nearly always covers that of MMPC."""
    return "6px,5px" if label == "GetPC" else "solid"


def plain(text: str, most: int | None = None) -> str:
    """Escape text for plotly, which would otherwise interpret tags, templates and formulas.

    With `most`, a longer text is shortened to at most so many characters.

    Examples
    --------
    >>> plain("<b>&x"), plain("%{y}"), plain("$x$"), plain("catecholamine<1>", 6)
    ('&lt;b&gt;&amp;x', '&#37;{y}', '&#36;x&#36;', 'cat…1&gt;')
    """
    if most is not None:
        text = shortened(text, most)
    escaped = escape(text, quote=False).replace("%{", "&#37;{").replace("$", "&#36;")
    return f"&#{ord(text[0])};{escaped[1:]}" if text in OBJECT_PROPERTIES else escaped


def capitalised(text: str) -> str:
    """Text with a capital first letter; its other letters stay as they are.

    Examples
    --------
    >>> capitalised("data set"), capitalised("BIC under MDL")
    ('Data set', 'BIC under MDL')
    """
    return text[:1].upper() + text[1:]


def row_labels(names: Iterable[Any], most: int) -> list[str]:
    r"""Distinct, non-empty labels for the rows of an axis, shortened to `most` characters: plotly merges equal ones.

    Examples
    --------
    >>> row_labels(["a", "", "a"], 9)
    ['a', '\u200b', 'a\u200b']
    """
    rows: dict[str, None] = {}
    for name in names:
        row = plain(str(name), most) or "\u200b"
        while row in rows:
            row += "\u200b"
        rows[row] = None
    return list(rows)
