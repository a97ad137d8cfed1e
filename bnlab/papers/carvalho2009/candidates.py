"""Protocols that are run: two for Table 2 in the notebook, and candidates for the protocol of the paper."""

from __future__ import annotations

from bnlab.papers.carvalho2009.protocol import Protocol, drawn

AS_PRINTED = Protocol(
    "as printed",
    "The report's text taken literally (no smoothing, Equation 17; Algorithms 5 to 7), and what its numbers "
    "imply: cuts on all rows, the Id of glass, 1,070 test rows of chess.",
)
HONEST = Protocol(
    "honest",
    "What one would do today: nothing of the test rows is used in training, no row number, parameters smoothed as in "
    "the 2007 paper.",
    cuts="training rows",
    row_id=False,
    chess_test=1066,
    smoothing=5.0,
)
MINIMUM = AS_PRINTED.but(
    "minimum", "A minimal instead of a maximal spanning tree, as a wrong sign would give.", tree="minimum"
)

PROTOCOLS = {p.name: p for p in (AS_PRINTED, HONEST)}
"""Protocols of Table 2 in the notebook, by name."""


def _variants(base: Protocol, prefix: str, changes: dict[str, tuple[str, dict[str, object]]]) -> list[Protocol]:
    return [base.but(prefix + name, reason, **choices) for name, (reason, choices) in changes.items()]


_ROWS_AND_PARAMETERS: dict[str, tuple[str, dict[str, object]]] = {
    "ties: first class": ("Impossible rows go to the first class.", {"ties": "first"}),
    "ties: last class": ("Impossible rows go to the last class.", {"ties": "last"}),
    "zeros raised": ("Zeros become 1e-6.", {"smoothing": "floor"}),
    "5 pseudo-rows": ("The smoothing of the 2007 paper.", {"smoothing": 5.0}),
    "cuts on training rows": ("No leak through the discretisation.", {"cuts": "training rows"}),
    "codes cut as numbers": ("Nominal attributes coded by numbers are cut, too.", {"columns": "numbers"}),
}

_ONLY_MAXIMUM: dict[str, tuple[str, dict[str, object]]] = {
    "ties: a miss": ("Impossible rows count as errors.", {"ties": "miss"}),
    "unobserved: zero": ("Unseen parent configurations get zeros.", {"unobserved": "zero"}),
    "unobserved: marginal": ("Unseen parent configurations get the frequencies.", {"unobserved": "marginal"}),
    "laplace": ("One row more a cell.", {"smoothing": "laplace"}),
    "50 pseudo-rows": ("Ten times the smoothing of the 2007 paper.", {"smoothing": 50.0}),
    "no class prior": ("P(c) left out.", {"class_prior": False}),
    "no Id": ("glass without its row number.", {"row_id": False}),
    "states seen in training": ("Arities from the training rows.", {"states": "training rows"}),
    "states of complete rows": ("Arities, the class's too, from the complete rows.", {"states": "complete rows"}),
    "stratified": ("Folds with the classes' proportions.", {"stratified": True}),
    "chess 1066": ("Table 1's number of test rows.", {"chess_test": 1066}),
    "letter 16,000": ("letter split as the UCI notes say.", {"split": "UCI notes"}),
}

_TREES: dict[str, tuple[str, dict[str, object]]] = {
    "forest": ("Edges that do not gain are left out.", {"tree": "forest"}),
    "forest, 5 pseudo-rows": ("Forest, smoothed.", {"tree": "forest", "smoothing": 5.0}),
    "greedy": ("Each attribute's best parent, cycles left in.", {"tree": "greedy"}),
    "undirected": ("The greater of both directions' gains.", {"edges": "greater"}),
    "one direction": ("Only gains of i -> j with i < j.", {"edges": "i<j"}),
    "no class": ("Algorithm 4's weights used for TAN.", {"weights": "no class"}),
    "no class, 5 pseudo-rows": ("Algorithm 4's weights, smoothed.", {"weights": "no class", "smoothing": 5.0}),
    "not subtracted": ("φ_j({X_i, C}) as weights, i < j.", {"weights": "not subtracted", "edges": "i<j"}),
    "reversed": ("Arcs point the other way.", {"arcs": "reversed"}),
    "reversed, 5 pseudo-rows": ("Arcs point the other way, smoothed.", {"arcs": "reversed", "smoothing": 5.0}),
    "naive Bayes": ("No tree at all.", {"tree": "naive Bayes"}),
    "naive Bayes, 5 pseudo-rows": ("No tree at all, smoothed.", {"tree": "naive Bayes", "smoothing": 5.0}),
    "random": ("A random tree for each score: what chance explains.", {"tree": "random"}),
    "random, 5 pseudo-rows": ("A random tree, smoothed.", {"tree": "random", "smoothing": 5.0}),
}

_MINIMAL_TREES: dict[str, tuple[str, dict[str, object]]] = {
    ", no class": ("Minimal tree of Algorithm 4's weights.", {"weights": "no class"}),
    ", penalty added": ("Minimal sum of likelihood gain and penalty.", {"weights": "penalty added"}),
    ", class gained too": (
        "Minimal φ_j({X_i, C}) - φ_j({}), i < j.",
        {"weights": "class gained too", "edges": "i<j"},
    ),
    ", not subtracted": ("Minimal φ_j({X_i, C}), i < j.", {"weights": "not subtracted", "edges": "i<j"}),
    ", no class, not subtracted": (
        "Minimal φ_j({X_i}), j < i.",
        {"weights": "no class, not subtracted", "edges": "j<i"},
    ),
}

CANDIDATES = {
    p.name: p
    for p in [
        AS_PRINTED,
        drawn(AS_PRINTED),
        *_variants(AS_PRINTED, "", _ROWS_AND_PARAMETERS | _ONLY_MAXIMUM),
        *_variants(AS_PRINTED, "", _TREES),
        MINIMUM,
        drawn(MINIMUM),
        *_variants(MINIMUM, "minimum, ", _ROWS_AND_PARAMETERS),
        *_variants(MINIMUM, "minimum", _MINIMAL_TREES),
        HONEST,
    ]
}
"""Candidates for the protocol of the paper; each differs in one or two choices from "as printed" or "minimum"."""
