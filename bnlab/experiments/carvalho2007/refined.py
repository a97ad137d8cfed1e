"""What the refinement made of the branching of a data set, to look at."""

from __future__ import annotations

from typing import NamedTuple

from bnlab.data.table import Table
from bnlab.experiments.carvalho2007.cell import scored
from bnlab.experiments.carvalho2007.protocol import AS_PRINTED, SCORE_OF
from bnlab.experiments.carvalho2007.refinement import change_picture, learned_structures
from bnlab.experiments.carvalho2009.rows import folds
from bnlab.graphs.dag import Dag
from bnlab.learners.types import ParentTuples


class Refinement(NamedTuple):
    """Structures over the attributes of a data set, the class left out.

    Attributes
    ----------
    table : Table
        Training rows, the class last.
    structures : dict from "NB", "TAN" and "C2G" to the attributes' parents
    branching : Dag
        Edges of the TAN.
    both : Dag
        Edges of the TAN or of C2G.
    kinds : dict from (parent, child) to "kept", "dropped" or "added"
        Of each edge of `both`.
    """

    table: Table
    structures: dict[str, ParentTuples]
    branching: Dag
    both: Dag
    kinds: dict[tuple[str, str], str]


def refinement(name: str, *, seed: int = 0) -> Refinement:
    """Structures under the paper's score for a data set, from the first training rows of the protocol as printed.

    Parameters
    ----------
    name : str
        One of `DATASETS`.
    seed : int
        Of the split, where the data come without one.
    """
    table = folds(name, AS_PRINTED, seed)[0].train
    structures = learned_structures(*scored(table, SCORE_OF[name]))
    both, kinds = change_picture(table, structures)
    return Refinement(table, structures, Dag(both.names, structures["TAN"]), both, kinds)
