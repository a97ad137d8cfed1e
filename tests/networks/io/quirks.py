"""Small networks X -> Y, each with one name, state or probability that some format or package finds awkward."""

from __future__ import annotations

import numpy as np

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork

NAMES = [
    "X",
    "Blood pressure",
    "v1.2",
    "hba1c-level",
    "BP(mmHg)",
    "BP [mmHg]",
    "Größe",
    "年龄",
    '5" disk',
    "2nd",
    "a|b",
]
STATES = [
    ["a", "b"],
    ["very low", "high"],
    ["True", "False"],
    ["0", "1"],
    ["a,b", "c"],
    ["-", "+"],
    ["<=2.45", "(2.45, 4.75]", ">4.75"],
    ["don't know", 'say "no"', "n/a"],
    ["http://x", "a;b", "a|b", "{c}"],
    ["ä", "ß"],
]


def network(name: str = "X", states: list[str] = STATES[0], seed: int | None = None) -> BayesianNetwork:
    """Network X, Z -> Y whose first variable has this name and these states."""
    rng = np.random.default_rng(seed)
    r = len(states)
    variables = [Variable(name, tuple(states)), Variable("Z", ("k", "l", "m")), Variable("Y", ("u", "v"))]
    tables = [rng.dirichlet([1] * r), rng.dirichlet([1] * 3), rng.dirichlet([1] * 2, size=(r, 3))]
    if seed is None:
        tables = [
            np.full(r, 1 / r),
            np.array([0.25, 0.25, 0.5]),
            np.tile([[0.9, 0.1], [0, 1], [1 / 3, 2 / 3]], (r, 1, 1)),
        ]
    return BayesianNetwork(Dag([name, "Z", "Y"], [(), (), (0, 1)]), variables, tables)


QUIRKS = [
    *(network(name, seed=k) for k, name in enumerate(NAMES)),
    *(network("X", s, seed=9) for s in STATES),
    network(),
]
IDS = [*NAMES, *("/".join(states) for states in STATES), "thirds"]
