"""Names of scores and skeleton learners in figures: their order and style, and how names stay text there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

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

# What every object of JavaScript has: plotly looks up the rows of an axis by name in one, and would find these there.
OBJECT_PROPERTIES = frozenset(
    [
        *("__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor"),
        *("hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"),
    ]
)
# Villanueva and Maciel 2012, section 4.
ALGORITHM_LABELS = {"opthpc": "OptHPC", "hpc": "HPC", "mmpc": "MMPC", "getpc": "GetPC", "heupc": "HeuPC"}


def score_label(name: str) -> str:
    """Name of a score as figures print it; an unknown one stays as it is.

    Examples
    --------
    >>> score_label("mdl"), score_label("BDeu16"), score_label("mine")
    ('BIC/MDL', 'BDeu(16)', 'mine')
    """
    return SCORE_LABELS.get(name.lower(), name)


def in_paper_order(scores: Iterable[str]) -> list[str]:
    """Distinct labels of scores, those of the paper first, in its order.

    Examples
    --------
    >>> in_paper_order(["k2", "mine", "ll", "K2"])
    ['LL', 'K2', 'mine']
    """
    return _known_first(map(score_label, scores), PAPER_SCORES)


def score_style(label: str) -> tuple[str, str]:
    """Colour and marker shape of a score, the same in every figure."""
    return _style(label, PAPER_SCORES)


def algorithm_label(name: str) -> str:
    """Name of a skeleton learner as figures print it; an unknown one stays as it is.

    Examples
    --------
    >>> algorithm_label("opthpc"), algorithm_label("mine")
    ('OptHPC', 'mine')
    """
    return ALGORITHM_LABELS.get(name, name)


def algorithms_in_order(labels: Iterable[str]) -> list[str]:
    """Distinct labels of skeleton learners, those of the paper first, in its order."""
    return _known_first(labels, tuple(ALGORITHM_LABELS.values()))


def algorithm_style(label: str) -> tuple[str, str]:
    """Colour and marker shape of a skeleton learner, the same in every figure."""
    return _style(label, tuple(ALGORITHM_LABELS.values()))


def algorithm_dash(label: str) -> str:
    """Dash of a skeleton learner's curve: GetPC's nearly always covers MMPC's, which shows through the gaps."""
    return "6px,5px" if label == "GetPC" else "solid"


def _known_first(labels: Iterable[str], known: Sequence[str]) -> list[str]:
    distinct = list(dict.fromkeys(labels))
    return [label for label in known if label in distinct] + [label for label in distinct if label not in known]


def _style(label: str, known: Sequence[str]) -> tuple[str, str]:
    i = known.index(label) if label in known else sum(map(ord, label))
    return colour(i), symbol(i)


def plain(text: str) -> str:
    """Text for a plotly figure, where tags, templates and formulas would otherwise be obeyed.

    Examples
    --------
    >>> plain("<b>&x"), plain("%{y}"), plain("$x$")
    ('&lt;b&gt;&amp;x', '&#37;{y}', '&#36;x&#36;')
    """
    written = escape(text, quote=False).replace("%{", "&#37;{").replace("$", "&#36;")
    return f"&#{ord(text[0])};{written[1:]}" if text in OBJECT_PROPERTIES else written


def row_texts(texts: Iterable[str]) -> list[str]:
    r"""Texts for the rows of a plotly axis, which leaves out what is empty and draws in one row what is alike.

    Examples
    --------
    >>> row_texts(["a", "", "a"])
    ['a', '\u200b', 'a\u200b']
    """
    rows: dict[str, None] = {}
    for text in texts:
        row = text or "\u200b"
        while row in rows:
            row += "\u200b"
        rows[row] = None
    return list(rows)
