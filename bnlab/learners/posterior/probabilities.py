"""The front door of edge probabilities: a method by name, data in, the confidence in every edge out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from bnlab._runtime.interrupts import reraise_interrupts
from bnlab._runtime.names import check_known, known_name
from bnlab._runtime.values import at_least
from bnlab.counts.base import CountSource
from bnlab.counts.incomplete import complete_families
from bnlab.counts.source import DataLike, as_data, count_source
from bnlab.data.table import Table
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.edge_rules import EdgeRules
from bnlab.graphs.knowledge import Knowledge
from bnlab.learners.bootstrap import Bootstrap
from bnlab.learners.edges import Within, edge_rules, leave_constant_alone
from bnlab.learners.learn import learn
from bnlab.learners.posterior.candidates import candidate_parents
from bnlab.learners.posterior.exact import ExactPosterior, check_exact
from bnlab.learners.posterior.families import FamilyScoring, check_structure_prior
from bnlab.learners.posterior.partitions import PartitionSampler
from bnlab.learners.table import GAP_LEARNERS, LEARNERS
from bnlab.learners.types import as_local_scores
from bnlab.scores import LocalScore, local_scores
from bnlab.scores.function import LocalScoreFunction
from bnlab.scores.structure_prior import DecomposablePrior
from bnlab.search import run

MAX_PARENTS = 4
METHODS = {
    "exact": (),
    "mcmc": ("candidates", "chains", "draws", "burn_in", "moves"),
    "bootstrap": ("replicates", "algorithm"),
}
"""Options of each method."""
_ALGORITHMS: dict[str, Mapping[str, Any]] = {
    **{name: learner.for_samples for name, learner in LEARNERS.items()},
    **{name: {} for name in GAP_LEARNERS},
}
"""Learners for a bootstrap, and their options there."""
SCORING = ("score", "ess", "max_parents", "structure_prior", "within", "knowledge")
"""Options of the scores of families."""


def edge_probabilities(
    table: DataLike,
    method: str = "exact",
    *,
    score: str | LocalScore = "bdeu",
    max_parents: int | None = None,
    structure_prior: str | DecomposablePrior = "graphs",
    within: Within = None,
    knowledge: Knowledge | None = None,
    seed: int = 0,
    **options: Any,
) -> EdgeConfidence:
    """Probability of each edge given the data: how certain the structure is.

    Parameters
    ----------
    table : Table, DataFrame or CountSource
        A bootstrap needs a Table or DataFrame.
    method : {"exact", "mcmc", "bootstrap"}
        "exact": the posterior probability, by a sum over all graphs (Tian and He 2009), for at most 17 variables, or
        over all orders (Koivisto and Sood 2004), for about 20. "mcmc": an estimate of it from sampled graphs
        (`PartitionSampler`), for any number of variables. "bootstrap": the frequency in networks learned from resampled
        rows (`Bootstrap`); it is not a posterior probability.
    score : str or LocalScore
        A logarithmic marginal likelihood such as "bdeu" or "k2", or "bic", which approximates one: the weight of a
        graph is exp(score).
    max_parents : int, optional
        Maximum number of parents of a variable, by default 4; graphs with more have probability 0. A learner of a
        bootstrap that has no such option, such as "chow-liu", has limits of its own.
    structure_prior : {"graphs", "orders"}, EdgePrior or DifferencePrior
        Equal prior probability of all graphs, or of all orders of the variables, which favours graphs that agree with
        many orders. A prior of edges, such as `bnlab.scores.EdgePrior`, weights all graphs by their prior probability;
        a bootstrap passes it to the learner, and has no other prior.
    within : SuperStructure, Pdag, Dag, networkx.Graph, pairs or bool matrix, optional
        Edges that may be used, as for `bnlab.learn`.
    knowledge : Knowledge, optional
        Edges that every graph must have or may not have; all other graphs have probability 0.
    seed : int
        Seed of the samples or the resampled rows.
    **options
        For every method: `ess`, the equivalent sample size of a score given by name that has one, by default 1.
        For "mcmc": `chains` (4), `draws` of each (1000), `burn_in` (half of `draws`), `moves` between two draws (100),
        and `candidates`, the number of possible parents of a variable that are combined freely, by default as many as
        about 300,000 families allow (all with up to 18 variables), at least 12. All others join them one at a time as
        far as there is room; `errors` include an estimated bound of what is left out.
        For "bootstrap": `replicates` (200) and `algorithm` ("hill-climbing", which breaks ties at random in each
        sample: with one rule for all samples a direction that the data leave open would look certain).

    Returns
    -------
    EdgeConfidence
        `to_frame()` is the square table of probabilities, `errors` their Monte Carlo errors, `consensus(threshold)`
        the graph of the edges above a threshold, and `probability(property)` that of any property of a graph.

    Raises
    ------
    ValueError
        If a name is unknown or an option is out of range, or there are too many variables or parent sets for the
        method; the message suggests a way out.
    TypeError
        As for `bnlab.learn`.

    Examples
    --------
    >>> import bnlab
    >>> data = bnlab.load_network("cancer").sample(1000, seed=1)
    >>> found = bnlab.edge_probabilities(data)
    >>> found.to_frame().loc["Cancer", ["Xray", "Dyspnoea"]].round(2).tolist()
    [0.71, 0.73]
    >>> found.consensus(0.5).edges
    (('Cancer', 'Smoker'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))

    Prior knowledge decides what the data leave open:

    >>> known = bnlab.Knowledge(tiers=[["Smoker", "Pollution"], ["Cancer"], ["Xray", "Dyspnoea"]])
    >>> bnlab.edge_probabilities(data, knowledge=known).consensus(0.5).edges
    (('Smoker', 'Cancer'), ('Cancer', 'Xray'), ('Cancer', 'Dyspnoea'))

    A prior of edges weighs uncertain beliefs against the data:

    >>> prior = bnlab.scores.EdgePrior({("Pollution", "Cancer"): 0.95, ("Cancer", "Pollution"): 0.05})
    >>> believed = bnlab.edge_probabilities(data, structure_prior=prior)
    >>> [float(f.to_frame().loc["Pollution", "Cancer"].round(2)) for f in (found, believed)]
    [0.1, 0.74]
    """
    with reraise_interrupts():
        method = known_name(method, METHODS, "method")
        uniform_over, prior = _priors(structure_prior)
        for name in options:
            check_known(name, ("ess", *METHODS[method]), f"{name!r} is no option of {method!r}")
        data = as_data(table)
        if method == "bootstrap":
            if uniform_over != "graphs":
                raise ValueError(f"structure_prior={structure_prior!r}: a bootstrap has no prior. Leave it out.")
            algorithm = known_name(options.pop("algorithm", "hill-climbing"), _ALGORITHMS, "algorithm")
            learner = partial(
                learn,
                algorithm=algorithm,
                score=score,
                structure_prior=prior,
                **_limits(algorithm, max_parents, within),
                **({"ess": options.pop("ess")} if "ess" in options else {}),
                **_ALGORITHMS[algorithm],
            )
            search: Any = Bootstrap(data, learner, seed=seed, knowledge=knowledge, **options)  # type: ignore[arg-type]
            return _naming_constant(data, run(search))
        shared: dict[str, Any] = {
            "score": score,
            "max_parents": max_parents,
            "structure_prior": structure_prior,
            "within": within,
            "knowledge": knowledge,
        }
        if method == "mcmc":
            search = partition_sampler(data, seed=seed, **shared, **options)
        else:
            search = exact_posterior(data, **shared, **options)
        return _naming_constant(data, run(search))


def _naming_constant(data: Table | CountSource, found: EdgeConfidence) -> EdgeConfidence:
    """Result that names the variables of which the rows show one state."""
    source = count_source(complete_families(data))
    return replace(found, constant=tuple(source.names[v] for v in source.constant))


def exact_posterior(table: DataLike, **options: Any) -> ExactPosterior:
    """Search that ``edge_probabilities(method="exact")`` runs, for callers that show its progress or stop it.

    Parameters
    ----------
    table, **options
        As for `edge_probabilities`: score, ess, max_parents, structure_prior, within and knowledge.

    Raises
    ------
    ValueError, TypeError
        As for `edge_probabilities`.
    """
    data = as_data(table)
    check_exact(len(data.names), _priors(options.get("structure_prior", "graphs"))[0])
    phi, rules, most, uniform_over = _scores_and_rules(data, **options)
    return ExactPosterior(FamilyScoring(phi, rules.possible_parents, most, rules), uniform_over)


def partition_sampler(
    table: DataLike, *, seed: int = 0, candidates: int | None = None, **options: Any
) -> PartitionSampler:
    """Search that ``edge_probabilities(method="mcmc")`` runs, for callers that show its progress, stop or resume it.

    All families are scored first.

    Parameters
    ----------
    table, seed, candidates, **options
        As for `edge_probabilities`: also score, ess, max_parents, structure_prior, within and knowledge.

    Raises
    ------
    ValueError, TypeError
        As for `edge_probabilities`.
    """
    if candidates is not None:
        at_least("candidates", candidates, 1)
    scoring_options = {name: options.pop(name) for name in SCORING if name in options}
    data = as_data(table)
    phi, rules, most, uniform_over = _scores_and_rules(data, **scoring_options)
    chosen = candidate_parents(phi, rules, candidates, most, seed)
    scoring = FamilyScoring(phi, chosen.core, most, rules, chosen.others, chosen.odds, chosen.pairs)
    scored = run(scoring)
    return PartitionSampler(scored, uniform_over, seed=seed, **options)


def _priors(structure_prior: str | DecomposablePrior) -> tuple[str, DecomposablePrior | None]:
    """Structure prior, "graphs" or "orders", and a prior of edges, which becomes part of the scores of the families."""
    if isinstance(structure_prior, DecomposablePrior):
        return "graphs", structure_prior
    check_structure_prior(structure_prior)
    return structure_prior, None


def _scores_and_rules(
    data: Any,
    *,
    score: str | LocalScore = "bdeu",
    ess: float | None = None,
    max_parents: int | None = None,
    structure_prior: str | DecomposablePrior = "graphs",
    within: Within = None,
    knowledge: Knowledge | None = None,
) -> tuple[LocalScoreFunction, EdgeRules, int, str]:
    """Local scores of some data, rules of the edges, maximum number of parents, and prior "graphs" or "orders"."""
    n, (uniform_over, prior) = len(data.names), _priors(structure_prior)
    most = MAX_PARENTS if max_parents is None else max_parents
    source = count_source(data)
    known = leave_constant_alone(source.names, source.constant, knowledge)
    rules = edge_rules(n, data.names, within=within, knowledge=known, max_parents=most)
    phi = as_local_scores(local_scores(data, score, structure_prior=prior, **({} if ess is None else {"ess": ess})), n)
    return phi, rules, int(rules.limits.max(initial=0)), uniform_over


def _limits(algorithm: str, max_parents: int | None, within: Within) -> dict[str, Any]:
    """Limits of the edges for a learner; one that has no such option gets those alone that the caller gave."""
    given = {"max_parents": max_parents, "within": within}
    takes = {option.name for option in LEARNERS[algorithm].options} if algorithm in LEARNERS else given.keys()
    defaults = {"max_parents": MAX_PARENTS, "within": None}
    return {
        name: defaults[name] if value is None else value
        for name, value in given.items()
        if name in takes or value is not None
    }
