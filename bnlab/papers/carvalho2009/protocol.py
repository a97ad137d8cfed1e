"""Choices that Carvalho 2009 leaves open for its Table 2.

The report specifies: continuous attributes are discretised by Fayyad and Irani's method, optimal TAN classifiers
(Algorithms 5 to 7), parameters N_ijk / N_ij (Equation 17), holdout or five folds. It does not mention whether rows must
be complete. A `Protocol` holds all other choices.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args, get_type_hints

import numpy as np

from bnlab._runtime.names import check_known
from bnlab.counts.types import FamilyCounts, FloatArray
from bnlab.networks.smoothing import Dirichlet, MarginalPseudoRows, MaximumLikelihood, Smoothing
from bnlab.papers.carvalho2009.reported import table1 as carvalho2009_table1
from bnlab.scores import LocalScore, make_score

DATASETS = tuple(carvalho2009_table1().dataset)
"""Data sets in the order of Table 2."""

SCORES: dict[str, LocalScore] = {
    "LL": make_score("ll"),
    "BIC/MDL": make_score("bic"),
    "NML": make_score("nml"),
    "MIT(0.99)": make_score("mit", alpha=0.99),
    "K2": make_score("k2"),
    "BDeu(1)": make_score("bdeu", ess=1),
    "BDeu(4)": make_score("bdeu", ess=4),
    "BDeu(16)": make_score("bdeu", ess=16),
}
"""Scores in the order of Table 2."""

Cuts = Literal["all rows", "training rows"]
Columns = Literal["numeric", "numbers"]
States = Literal["file", "complete rows", "training rows"]
Split = Literal["files", "drawn", "UCI notes", "exchanged"]
Weights = Literal["gain", "no class", "not subtracted", "no class, not subtracted", "class gained too", "penalty added"]
Edges = Literal["directed", "i<j", "j<i", "greater"]
Tree = Literal["maximum", "forest", "greedy", "minimum", "random", "naive Bayes"]
Arcs = Literal["as learned", "reversed"]
Parameters = Literal["none", "laplace", "floor"]
Unobserved = Literal["uniform", "zero", "marginal"]
Ties = Literal["first", "last", "prior", "miss"]

_ROW_CHOICES = ("cuts", "columns", "row_id", "states", "split", "chess_test", "stratified")


@dataclass(frozen=True)
class Unsmoothed(MaximumLikelihood):
    """Relative frequencies, with a choice for parent configurations that do not occur.

    Parameters
    ----------
    unobserved_as : {"uniform", "zero", "marginal"}
    """

    unobserved_as: str = "uniform"

    def unobserved(self, counts: FamilyCounts) -> FloatArray:
        """Uniform probabilities, zeros, or the child's frequencies, shape (r,)."""
        if self.unobserved_as == "zero":
            return np.zeros(counts.r)
        if self.unobserved_as == "marginal":
            totals = counts.table.sum(axis=0)
            return np.asarray(totals / totals.sum())
        return super().unobserved(counts)


@dataclass(frozen=True)
class Floored(MaximumLikelihood):
    """Relative frequencies with a lower bound; rows may then sum to a little more than 1.

    Parameters
    ----------
    floor : float
    """

    floor: float = 1e-6

    def rows(self, counts: FamilyCounts) -> FloatArray:
        """Raised frequencies under the observed parent configurations, shape (observed, r)."""
        return np.maximum(super().rows(counts), self.floor)


@dataclass(frozen=True)
class Protocol:
    """One way to run Table 2, with every choice explicit. Incomplete rows are always left out.

    Attributes
    ----------
    name : str
        Key of the records.
    reason : str
        Why it is run, in a sentence.
    cuts : {"all rows", "training rows"}
        Rows from which the discretisation is learned; with all rows, the classes of the test rows leak.
    columns : {"numeric", "numbers"}
        Attributes that are cut: those that UCI calls numeric, or also nominal ones whose states are numbers.
    row_id : bool
        Whether glass keeps its row number, which determines the class.
    states : {"file", "complete rows", "training rows"}
        Rows that determine the states of nominal variables and of the class.
    split : {"files", "drawn", "UCI notes", "exchanged"}
        Training rows of letter and satimage: the first rows ("files"), or rows drawn with the seed ("drawn"). "UCI
        notes": the first 16,000 rows of letter, and 210 rows of segment. "exchanged": training and test rows exchanged.
    chess_test : int
        Number of test rows of chess: 1066 in Table 1, 1070 by the printed accuracies (see `whole_hits`).
    stratified : bool
        Whether splits keep the proportions of the classes.
    weights : str
        Weight of the edge X_i -> X_j. "gain": φ_j({X_i, C}) - φ_j({C}) (Algorithms 5 to 7); "no class":
        φ_j({X_i}) - φ_j({}) (Algorithms 3 and 4); "not subtracted": φ_j({X_i, C}); "no class, not subtracted":
        φ_j({X_i}); "class gained too": φ_j({X_i, C}) - φ_j({}); "penalty added": the likelihood part of the gain plus
        the penalty, which should be subtracted.
    edges : {"directed", "i<j", "j<i", "greater"}
        "directed": each direction has its own weight. Otherwise both have that of i -> j with i < j, that of i -> j
        with j < i, or the greater one.
    tree : {"maximum", "forest", "greedy", "minimum", "random", "naive Bayes"}
        "forest" leaves out edges without gain; "greedy" takes the best parent of each attribute, even in cycles;
        "random" draws a spanning tree and "naive Bayes" has no edge, to show the effect of the scores.
    arcs : {"as learned", "reversed"}
        With reversed arcs, the parents of an attribute are all its children.
    smoothing : "none", "laplace", "floor" or float
        Parameters: N_ijk / N_ij, one more row per cell, zeros raised to 1e-6, or this number of pseudo-rows distributed
        as the states of the attribute.
    unobserved : {"uniform", "zero", "marginal"}
        Without smoothing: probabilities under parent configurations that do not occur in training.
    ties : {"first", "last", "prior", "miss"}
        Class that is predicted if several are equally probable; with "miss" none, and the row counts as an error.
    class_prior : bool
        Whether P(c) is a factor.
    unsmoothed : tuple of str
        Classifiers, such as naive Bayes ("NB"), whose parameters are N_ijk / N_ij for every `smoothing`.
    """

    name: str
    reason: str
    cuts: Cuts = "all rows"
    columns: Columns = "numeric"
    row_id: bool = True
    states: States = "file"
    split: Split = "files"
    chess_test: int = 1070
    stratified: bool = False
    weights: Weights = "gain"
    edges: Edges = "directed"
    tree: Tree = "maximum"
    arcs: Arcs = "as learned"
    smoothing: Parameters | float = "none"
    unobserved: Unobserved = "uniform"
    ties: Ties = "prior"
    class_prior: bool = True
    unsmoothed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(Protocol).items():
            allowed = get_args(kind)
            if allowed and all(isinstance(value, str) for value in allowed):
                self._check(name, allowed)
        if isinstance(self.smoothing, str):
            self._check("smoothing", get_args(Parameters))

    def _check(self, name: str, allowed: tuple[str, ...]) -> None:
        value = getattr(self, name)
        check_known(value, allowed, f"protocol {self.name!r}: {name}={value!r}")

    @property
    def rows(self) -> Protocol:
        """Protocol with these choices of rows and their coding, and defaults otherwise; equal for equal choices."""
        return Protocol("rows", "", **{name: getattr(self, name) for name in _ROW_CHOICES})

    @property
    def estimator(self) -> Smoothing:
        """Estimator of the parameters."""
        if self.smoothing == "none":
            return Unsmoothed(self.unobserved)
        if self.smoothing == "laplace":
            return Dirichlet(1.0)
        if self.smoothing == "floor":
            return Floored(1e-6)
        return MarginalPseudoRows(float(self.smoothing))

    def choices(self) -> dict[str, Any]:
        """All choices by name, without name and reason."""
        return {name: value for name, value in asdict(self).items() if name not in ("name", "reason")}

    def but(self, name: str, reason: str, **choices: Any) -> Protocol:
        """Same protocol with other choices, under another name."""
        known = [field.name for field in fields(self)]
        for choice in choices:
            check_known(choice, known, f"a protocol has no choice {choice!r}")
        return replace(self, name=name, reason=reason, **choices)


def drawn(protocol: Protocol) -> Protocol:
    """Same protocol, but the splits of letter and satimage are drawn with the seed."""
    return protocol.but(drawn_name(protocol.name), "What chance does where the split is fixed.", split="drawn")


def drawn_name(name: str) -> str:
    """Name of the protocol that `drawn` returns."""
    return f"{name}, drawn"
