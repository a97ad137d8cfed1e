"""Every source and every consumer of tables honours what the rows carry, or refuses it with a way out.

`CONSUMERS` names what is public and takes tables, and how each is compared with brute force. A new public function that
takes a table fails a test until it is entered here.
"""

from __future__ import annotations

import importlib
import inspect
import pickle
import re
from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import bnlab
from bnlab import learners, networks, scores, skeletons
from bnlab.analysis import Recipe, cross_validate
from bnlab.analysis.files import open_source
from bnlab.citests import G2Tester
from bnlab.classifiers import TAN, CkG, NaiveBayes
from bnlab.counts import AvailableCases, ChunkedSource, DaskSource, MemorySource, count_source
from bnlab.counts.base import in_order
from bnlab.counts.incomplete import ExpectedCounts
from bnlab.counts.information import mutual_information
from bnlab.data import Table, concat, remove_values
from bnlab.data.splits import five_fold
from bnlab.dynamic import ChunkedPanel, DynamicDag, DynamicNetwork, Panel
from bnlab.figures.scores.graph_scores import GraphScores
from bnlab.figures.scores.network_scores import NetworkScores
from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.graphs import Dag, Pdag
from bnlab.learners.bootstrap import Bootstrap
from bnlab.learners.table import GAP_LEARNERS, LEARNERS
from bnlab.networks import BayesianNetwork, BDeuPrior, ExpectationMaximization
from bnlab.scores import PNAL
from bnlab.scores.make import SCORE_TABLE
from bnlab.search import run
from bnlab.widgets import NetworkGraph, ScorePanel
from tests.carried import brute
from tests.carried.brute import BruteForce, random_table

PROPERTIES = {
    "interventions": {"interventions": True},
    "gaps": {"gaps": True},
    "both": {"interventions": True, "gaps": True},
    "weights": {"weights": "whole"},
    "fractions": {"weights": "fractions"},
    "all": {"interventions": True, "gaps": True, "weights": "whole"},
}
GRAPH = Dag.from_edges("xyz", [("x", "y"), ("y", "z")])
FAMILIES = [(0, ()), (1, ()), (2, ()), (0, (1,)), (1, (0,)), (2, (0, 1)), (1, (0, 2)), (0, (2,))]
OFFERED = [name for name, entry in SCORE_TABLE.items() if entry.offered]
NO_GAPS = {
    "gaps": "missing values: complete rows are needed.*Load the data",
    "both": "complete rows are needed",
    "all": "complete rows are needed|interventions",
}
NO_INTERVENTIONS = {
    "interventions": r"rows.* are interventions.*table\.",
    "both": "interventions|missing values",
    "all": "interventions|missing values",
}
NO_FRACTIONS = {"fractions": r"weights are fractions.*table\.weights\.round"}
PREDICTS = dict.fromkeys(("interventions", "both", "all"), r"some rows are interventions.*net\.do")
WHOLE_ROWS = NO_GAPS | NO_INTERVENTIONS | NO_FRACTIONS


class Consumer(NamedTuple):
    """What is compared, the same by brute force (by default with a source that counts row by row), and refusals."""

    value: Callable[[Any], Any]
    oracle: Callable[[Table], Any] | None = None
    refuses: Mapping[str, str] = {}


def net_of(seed: int = 5) -> BayesianNetwork:
    """Network without zeros or ties."""
    rng = np.random.default_rng(seed)
    variables = random_table(0).variables
    shapes = [tuple(variables[v].arity for v in (*p, i)) for i, p in enumerate(GRAPH.parents)]
    return BayesianNetwork(GRAPH, variables, [rng.dirichlet(np.full(s[-1], 3.0), s[:-1]) for s in shapes])


def cpts_of(net: BayesianNetwork) -> list[np.ndarray]:
    return list(net.cpts)


def all_scores(data: Any) -> list[Any]:
    return [scores.local_scores(data, name).many(FAMILIES) for name in OFFERED]


def learned(data: Any) -> list[Any]:
    return [learners.learn(data, name).edges for name in LEARNERS]


def learned_from_gaps(table: Table) -> list[Any]:
    found = [learners.learn(table, "available-cases", learner=name).edges for name in LEARNERS]
    return [*found, learners.make_search(table, "available-cases", learner="boss").result is not None]


def learned_from_gaps_by_brute_force(table: Table) -> list[Any]:
    source = BruteForce(table)
    return [
        *(learners.learn(source, name, score=None if LEARNERS[name].only else PNAL(3)).edges for name in LEARNERS),
        True,
    ]


def replicates(table: Table) -> Any:
    return run(Bootstrap(table, partial(learners.learn, algorithm="available-cases", learner="exact"), 6, seed=3)).arcs


def replicates_by_brute_force(table: Table) -> Any:
    table = brute.repeated(table)
    total = np.zeros((3, 3))
    for number in range(6):
        rows = np.random.default_rng((3, number)).integers(0, table.n_rows, table.n_rows)
        part = table.take(rows)
        dag = learners.learn(BruteForce(part), "exact", score=PNAL(3))
        total += brute.arcs_of_class(dag, part) / 6
    return total


def predictions(table: Table) -> Any:
    return networks.held_out(GRAPH, table, folds=3, seed=1)


def predictions_by_brute_force(table: Table) -> Any:
    table = brute.repeated(table)
    found: list[float] = []
    for train, test in five_fold(table.n_rows, 1, k=3):
        found += brute.log_likelihood(networks.fit(GRAPH, table.take(train), BDeuPrior()), table.take(test))
    return float(np.mean(found))


def validated(table: Table) -> Any:
    """Held-out log-likelihoods of a graph; a table with fractions for weights is not split."""
    return cross_validate(table, GRAPH, folds=3, seed=1).log_likelihoods["graph"][0]


def validated_by_brute_force(table: Table) -> Any:
    table = brute.repeated(table)
    found = np.empty(table.n_rows)
    for train, test in five_fold(table.n_rows, 1, k=3, every_row=True):
        found[test] = brute.log_likelihood(networks.fit(GRAPH, table.take(train), BDeuPrior()), table.take(test))
    return found


def learned_in_folds(table: Table) -> Any:
    found = cross_validate(table, "exact", folds=3, seed=1)
    return [*(dag.edges for dag in found.graphs["exact"]), found.stability().arcs]


def learned_in_folds_by_brute_force(table: Table) -> Any:
    table = brute.repeated(table)
    parts = [table.take(train) for train, _ in five_fold(table.n_rows, 1, k=3, every_row=True)]
    dags = [learners.learn(BruteForce(part), "exact") for part in parts]
    return [*(dag.edges for dag in dags), sum(brute.arcs_of_class(dag, table) for dag in dags) / 3]


def target_in_folds(table: Table) -> Any:
    return cross_validate(table, GRAPH, folds=3, seed=1, target="y").probabilities["graph"][0]


def target_in_folds_by_brute_force(table: Table) -> Any:
    table = brute.repeated(table)
    found = np.empty((table.n_rows, table.arities[1]))
    for train, test in five_fold(table.n_rows, 1, table.column("y"), 3, every_row=True):
        found[test] = shares_by_brute_force(table.take(test), networks.fit(GRAPH, table.take(train), BDeuPrior()))
    return found


def filled(table: Table) -> Any:
    found = networks.impute(net_of(), table)
    assert found.experiments == table.experiments
    assert not found.has_gaps
    return np.stack([found.column(v) for v in range(3)], axis=1)


GRAPHS = [GRAPH, Dag.from_edges("xyz", [("y", "x"), ("y", "z")])]
EFFECT: dict[str, Any] = {"to": 1, "reference": 0, "of": 1}


def strengths(data: Any) -> Any:
    tester = G2Tester(data)
    return [tester.strength(x, y, z) for x, y, z in ((0, 1, ()), (1, 2, ()), (0, 2, (1,)))]


def effects(table: Table) -> Any:
    return networks.effects_over_graphs(GRAPHS, table, "x", "y", **EFFECT).astype(float).to_numpy()


def effects_by_brute_force(table: Table) -> Any:
    """The graphs that the rows do not tell apart are those of `brute.arcs_of_class`."""
    found = []
    for dag in GRAPHS:
        net = brute.expectation_maximisation(dag, table, ess=1.0)
        effect = networks.causal_effect(net, "x", "y", **EFFECT)
        open_edge = brute.arcs_of_class(dag, table)[0, 1] == 0.5
        both = [networks.causal_effect(net, "x", "y", **EFFECT), 0.0]
        if open_edge and not effect:
            both[0] = networks.adjusted(net, "x", "y")[1, 1] - networks.adjusted(net, "x", "y")[0, 1]
        every = both if open_edge else [effect]
        found.append([effect, min(every), max(every), float(not open_edge)])
    return np.array(found)


def shares_by_brute_force(table: Table, net: BayesianNetwork | None = None) -> Any:
    """Probability of each state of "y" given the other values of each row."""
    net = net_of() if net is None else net
    found = []
    for (x, _, z), _, _ in brute.rows_of(table):
        weights = brute.weights_of(net, table, (x, table.arities[1], z), frozenset())
        shares = [sum(weight for full, weight in weights.items() if full[1] == k) for k in range(3)]
        found.append([share / sum(weights.values()) for share in shares])
    return np.array(found)


def estimated(table: Table) -> Any:
    return cpts_of(networks.fit(GRAPH, table))


def estimated_by_brute_force(table: Table) -> Any:
    return cpts_of(brute.expectation_maximisation(GRAPH, table))


def searched(table: Table) -> Any:
    return cpts_of(run(ExpectationMaximization(GRAPH, table)))


def joined(dag: Dag) -> Any:
    return sorted(map(sorted, dag.edges))


def joined_pairs(graph: Pdag) -> Any:
    return graph.directed_edges, graph.undirected_edges


def completed(table: Table) -> Any:
    search = learners.make_search(table, "structural-em", learner="exact", score="bic")
    return joined(Dag(table.names, run(search)))


def without_gaps(table: Table) -> Any:
    """With so few gaps, the graph is that of the complete rows."""
    return joined(learners.learn(BruteForce(complete_rows(table)), "exact", score="bic"))


def complete_rows(table: Table) -> Table:
    known = np.all([table.column(v) < table.arities[v] for v in range(table.n_variables)], axis=0)
    return table.take(known)


def panel_of(table: Table, times: int = 3) -> Panel:
    """The rows of a table as units of some consecutive times."""
    rows = np.arange(table.n_rows)
    return Panel(table, rows // times, rows % times, range((table.n_rows + times - 1) // times))


def panel_rows(table: Table) -> list[Any]:
    """Rows of the transitions of a panel."""
    return list(map(as_list, brute.rows_of(panel_of(table).transitions)))


def panel_rows_by_brute_force(table: Table) -> list[Any]:
    """Pairs of rows that follow each other in a unit."""
    rows, n = list(brute.rows_of(table)), table.n_variables
    return [
        as_list(((*before, *now), {*was_set, *(n + v for v in is_set)}, weight))
        for i, ((before, was_set, _), (now, is_set, weight)) in enumerate(pairwise(rows))
        if (i + 1) % 3
    ]


def as_list(row: Any) -> list[float]:
    """Codes, variables that were set, and weight of a row, as numbers."""
    codes, was_set, weight = row
    return [*codes, -1, *sorted(was_set), -1, weight]


def slices_joined(table: Table) -> list[Any]:
    """The rows of a panel that is made of its own slices."""
    slices = panel_of(table.take(slice(0, 60)).with_interventions(None).with_weights(None)).unrolled(3)[1]
    return list(map(as_list, brute.rows_of(Panel.of_slices(slices, (), table.names).table)))


def learned_over_time(table: Table) -> float:
    """Score of the best tree of a slice, with one parent from the past, by counts of brute force."""
    panel = panel_of(table)
    dag = bnlab.learn_dynamic(panel, "tdbn", score="bdeu").transition
    return over_time(panel)(dag.parents)


def learned_over_time_by_brute_force(table: Table) -> float:
    """Greatest score of all trees of the three variables of a slice with one parent from the past."""
    score, families = over_time(panel_of(table)), [(), (0,), (1,), (2,)]
    trees = [((), (3,), (3,)), ((), (3,), (4,)), ((), (5,), (3,)), ((4,), (), (4,)), ((4,), (), (3,)), ((5,), (), (4,))]
    trees += [((5,), (5,), ()), ((4,), (5,), ()), ((5,), (3,), ())]
    best = max(product(trees, product(families, repeat=3)), key=lambda one: score(within(*one)))
    return score(within(*best))


def fitted_over_time(fit: Callable[[DynamicDag, Panel], list[Any]]) -> Callable[[Table], list[Any]]:
    """Tables of the present of a fixed structure, by a way to fit it."""
    step = Dag(["x[t-1]", "y[t-1]", "z[t-1]", "x[t]", "y[t]", "z[t]"], [(), (), (), (0,), (0, 3), ()])
    structure = DynamicDag(Dag(["x[0]", "y[0]", "z[0]"], [(), (0,), ()]), (step,))
    return lambda table: [cpt.tolist() for cpt in fit(structure, panel_of(table))]


def within(tree: Any, past: Any) -> list[tuple[int, ...]]:
    """Parents of the nodes of a transition of three variables."""
    return [(), (), (), *(tuple(sorted((*a, *b))) for a, b in zip(tree, past, strict=True))]


def over_time(panel: Panel) -> Callable[[Any], float]:
    """Score of the parents of a transition by counts of brute force."""
    phi = scores.local_scores(BruteForce(panel.transitions), "bdeu")
    return lambda parents: sum(phi(v, tuple(parents[v])) for v in (3, 4, 5))


def in_chunks(panel: Panel) -> ChunkedPanel:
    """The units of a panel in two chunks."""
    return ChunkedPanel(lambda: [panel.take(range(11)), panel.take(range(11, len(panel.units)))])


OVER_TIME = [(3, ()), (4, (1, 3)), (1, (0,)), (5, (2, 4))]


def counted_over_time(panel: ChunkedPanel) -> list[Any]:
    """Counts of some families of a transition."""
    return [counts.dense() for counts in panel.transitions.count(OVER_TIME)]


MCMC = {"chains": 1, "draws": 40, "moves": 2, "seed": 1}

CONSUMERS: dict[str, Consumer] = {
    "scores.local_scores": Consumer(all_scores, refuses=NO_GAPS),
    "scores.LocalScores": Consumer(
        lambda data: scores.LocalScores(data, scores.BDeu()).bounds(1, np.array([[0], [2]])), refuses=NO_GAPS
    ),
    "scores.score": Consumer(lambda data: scores.score(GRAPH, data, "bdeu"), refuses=NO_GAPS),
    "learners.learn": Consumer(learned, refuses=NO_GAPS),
    "dynamic.Panel": Consumer(panel_rows, panel_rows_by_brute_force),
    "dynamic.Panel.of_slices": Consumer(
        slices_joined, lambda table: [as_list((row, (), 1)) for row, _, _ in brute.rows_of(table.take(slice(0, 60)))]
    ),
    "dynamic.DynamicNetwork.fit": Consumer(
        fitted_over_time(lambda dag, panel: DynamicNetwork.fit(dag, panel, BDeuPrior(2.0)).transition.cpts[3:]),
        fitted_over_time(
            lambda dag, panel: networks.fit(dag.transition, BruteForce(panel.transitions), BDeuPrior(2.0)).cpts[3:]
        ),
    ),
    "dynamic.ChunkedPanel": Consumer(
        lambda table: counted_over_time(in_chunks(panel_of(table))),
        lambda table: [counts.dense() for counts in BruteForce(panel_of(table).transitions).count(OVER_TIME)],
        refuses=NO_GAPS,
    ),
    "dynamic.learn_dynamic": Consumer(learned_over_time, learned_over_time_by_brute_force),
    "learners.learn available cases": Consumer(learned_from_gaps, learned_from_gaps_by_brute_force),
    "learners.learn classes by score": Consumer(
        lambda data: joined_pairs(learners.learn(data, "ges")),
        refuses=NO_GAPS | {"interventions": "without interventions"},
    ),
    "learners.learn classes": Consumer(
        lambda data: joined_pairs(learners.learn(data, "pc")),
        refuses=WHOLE_ROWS,
    ),
    "learners.make_search": Consumer(
        lambda data: run(learners.make_search(data, "hill-climbing", score="bic")), refuses=NO_GAPS
    ),
    "learners.StructuralEM": Consumer(completed, without_gaps, NO_FRACTIONS),
    "learners.optimum": Consumer(lambda data: learners.optimum(data).score, refuses=NO_GAPS),
    "learners.edge_probabilities": Consumer(lambda data: learners.edge_probabilities(data).arcs, refuses=NO_GAPS),
    "learners.partition_sampler": Consumer(
        lambda data: learners.edge_probabilities(data, "mcmc", **MCMC).arcs, refuses=NO_GAPS
    ),
    "learners.Bootstrap": Consumer(replicates, replicates_by_brute_force, NO_FRACTIONS),
    "networks.fit": Consumer(estimated, estimated_by_brute_force),
    "networks.fit available cases": Consumer(
        lambda data: cpts_of(networks.fit(GRAPH, data if isinstance(data, BruteForce) else AvailableCases(data)))
    ),
    "networks.ExpectationMaximization": Consumer(searched, estimated_by_brute_force),
    "networks.held_out": Consumer(predictions, predictions_by_brute_force, NO_FRACTIONS),
    "networks.impute": Consumer(filled, lambda table: brute.most_probable(net_of(), table)),
    "networks.BayesianNetwork.log_likelihood": Consumer(
        lambda table: net_of().log_likelihood(table), lambda table: brute.log_likelihood(net_of(), table)
    ),
    "networks.BayesianNetwork.predict_proba": Consumer(
        lambda table: net_of().predict_proba(table, "y").to_numpy(), shares_by_brute_force, PREDICTS
    ),
    "networks.BayesianNetwork.predict": Consumer(
        lambda table: net_of().predict(table, "y")["y"].tolist(),
        lambda table: shares_by_brute_force(table).argmax(axis=1).tolist(),
        PREDICTS,
    ),
    "networks.effects_over_graphs": Consumer(effects, effects_by_brute_force),
    "citests.G2Tester": Consumer(strengths, refuses=WHOLE_ROWS),
    "counts.information.mutual_information": Consumer(mutual_information, refuses=NO_GAPS | NO_INTERVENTIONS),
    "skeletons.skeleton": Consumer(lambda data: skeletons.skeleton(data, "mmpc").edges, refuses=WHOLE_ROWS),
    "skeletons.make_search": Consumer(
        lambda data: run(skeletons.make_search(data, "hpc")).edges,
        refuses=WHOLE_ROWS,
    ),
    "figures.GraphScores": Consumer(lambda data: GraphScores(data).total(GRAPH), refuses=NO_GAPS),
    "figures.NetworkScores": Consumer(
        lambda data: NetworkScores(data, {"chain": GRAPH}).totals().to_numpy(), refuses=NO_GAPS
    ),
    "figures.PrefixScores": Consumer(
        lambda table: PrefixScores(table, {"chain": GRAPH}).at(50).totals().to_numpy(),
        lambda table: NetworkScores(BruteForce(brute.repeated(table).head(50)), {"chain": GRAPH}).totals().to_numpy(),
        refuses=NO_GAPS | NO_FRACTIONS,
    ),
    "widgets.ScorePanel": Consumer(
        lambda data: ScorePanel(data, {"chain": GRAPH}) is not None, refuses=NO_GAPS | NO_FRACTIONS
    ),
    "widgets.NetworkGraph": Consumer(lambda data: NetworkGraph(GRAPH, data) is not None, refuses=WHOLE_ROWS),
    "widgets.Workbench": Consumer(
        lambda table: open_source(table).frame.isna().to_numpy(),
        lambda table: [
            [code == r for code, r in zip(row, table.arities, strict=True)] for row, _, _ in brute.rows_of(table)
        ],
        refuses=NO_INTERVENTIONS
        | {"weights": "have weights, and a study keeps neither", "fractions": "a study keeps neither"},
    ),
    "analysis.cross_validate": Consumer(validated, validated_by_brute_force, NO_FRACTIONS),
    "analysis.cross_validate learning": Consumer(
        learned_in_folds, learned_in_folds_by_brute_force, NO_GAPS | NO_FRACTIONS
    ),
    "analysis.cross_validate target": Consumer(
        target_in_folds,
        target_in_folds_by_brute_force,
        NO_FRACTIONS
        | dict.fromkeys(("interventions", "both", "all"), "some rows are interventions.*Leave out the target"),
    ),
    "analysis.Recipe.learn": Consumer(lambda table: joined(Recipe("exact", "bic").learn(table)), without_gaps),
}
"""By module and name; a further word tells two ways of use apart."""
SEEN_ELSEWHERE = {
    "counts.AvailableCases": "test_every_source_counts_the_rows_that_brute_force_counts",
    "counts.ChunkedSource": "test_every_source_counts_the_rows_that_brute_force_counts",
    "counts.MemorySource": "test_every_source_counts_the_rows_that_brute_force_counts",
    "counts.count_source": "test_every_source_counts_the_rows_that_brute_force_counts",
    "data.as_table": "returns the table itself",
    "data.concat": "test_operations_on_tables_keep_what_the_rows_carry",
    "data.remove_values": "test_operations_on_tables_keep_what_the_rows_carry",
    "data.Table.carrying": "test_operations_on_tables_keep_what_the_rows_carry",
    "widgets.Workbench.load": "widgets.Workbench",
    "data.Table.equals": "tests/data/test_interventions.py",
    "data.gap_costs": "describes missing values alone",
    "data.gap_patterns": "describes missing values alone",
    "figures.gaps_figure": "describes missing values alone",
    "figures.contingency_data": "needs a test, and G2Tester refuses",
    "figures.contingency_table": "needs a test, and G2Tester refuses",
    "analysis.Recipe.search": "learners.make_search",
    "widgets.NetworkGraph.switch": "widgets.NetworkGraph",
}
MODULES = (
    "learners",
    "networks",
    "scores",
    "counts",
    "citests",
    "skeletons",
    "data",
    "figures",
    "widgets",
    "analysis",
    "dynamic",
)


def public_consumers() -> set[str]:
    """Public functions, classes and methods with a parameter that may be a table."""

    def takes_table(function: Any) -> bool:
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return False
        return any(re.search(r"\b(Table|DataLike)\b", str(p.annotation)) for p in parameters)

    found = set()
    for module in MODULES:
        package = importlib.import_module(f"bnlab.{module}")
        for name in package.__all__:
            item = getattr(package, name)
            members = vars(item) if inspect.isclass(item) else {}
            if callable(item) and takes_table(item):
                found.add(f"{module}.{name}")
            found |= {f"{module}.{name}.{k}" for k, f in members.items() if k[0] != "_" and takes_table(f)}
    return found


def assert_same(found: Any, expected: Any) -> None:
    if isinstance(found, list | tuple):
        assert len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b)
    elif isinstance(found, np.ndarray | float):
        np.testing.assert_allclose(found, np.asarray(expected), rtol=1e-8, atol=1e-8)
    else:
        assert found == expected


def test_everything_public_that_takes_a_table_is_compared_with_brute_force():
    known = {name.split(" ")[0] for name in CONSUMERS} | SEEN_ELSEWHERE.keys()
    assert public_consumers() <= known
    assert set(LEARNERS) & set(GAP_LEARNERS) == set()


@pytest.mark.parametrize("kind", PROPERTIES)
@pytest.mark.parametrize("name", CONSUMERS)
def test_every_consumer_honours_what_the_rows_carry_or_refuses_it(name, kind):
    value, oracle, refuses = CONSUMERS[name]
    table = random_table(11, **PROPERTIES[kind])
    if kind in refuses:
        with pytest.raises(ValueError, match=refuses[kind]):
            value(table)
        return
    assert_same(value(table), value(BruteForce(table)) if oracle is None else oracle(table))


def dask_columns(table: Table) -> dict[str, str]:
    """Columns of `dask_frame` that are no variables."""
    carried = {"weights": table.weights is not None, "interventions": bool(table.interventions)}
    return {name: name for name, is_carried in carried.items() if is_carried}


def dask_frame(table: Table) -> Any:
    """The rows of a table in partitions, with what they carry in columns."""
    dataframe = pytest.importorskip("dask.dataframe")
    frame = table.to_pandas()
    if table.interventions:
        was_set = np.array([table.intervened(name) for name in table.names]).T
        frame["interventions"] = [",".join(np.array(table.names)[row]) for row in was_set]
    if table.weights is not None:
        frame["weights"] = table.weights
    return dataframe.from_pandas(frame, npartitions=3, sort=False)


SOURCES: dict[str, Callable[[Table], Any]] = {
    "count_source": count_source,
    "MemorySource": MemorySource,
    "ChunkedSource": lambda table: ChunkedSource(lambda: [table.take(slice(0, 40)), table.take(slice(40, None))]),
    "DaskSource": lambda table: DaskSource(dask_frame(table), variables=table.variables, **dask_columns(table)),
    "AvailableCases": AvailableCases,
    "ExpectedCounts": lambda table: ExpectedCounts([table, table, table]),
}


@pytest.mark.parametrize("kind", PROPERTIES)
@pytest.mark.parametrize("name", SOURCES)
def test_every_source_counts_the_rows_that_brute_force_counts(name, kind):
    for seed in range(4):
        table = random_table(seed, **PROPERTIES[kind])
        if name != "AvailableCases" and (table.has_gaps or name == "MemorySource"):
            with pytest.raises(ValueError, match=r"missing values|some rows are interventions or have weights"):
                SOURCES[name](table)
            continue
        source, expected = SOURCES[name](table), BruteForce(table)
        one_by_one, stacked = source.count(FAMILIES), in_order(source.batches(FAMILIES))
        for a, b, c in zip(one_by_one, stacked, expected.count(FAMILIES), strict=True):
            np.testing.assert_allclose(a.dense(), c.dense())
            np.testing.assert_allclose(b.dense(), c.dense())
        assert [source.rows_of(v) for v in range(3)] == pytest.approx([expected.rows_of(v) for v in range(3)])
        assert source.n_rows == pytest.approx(expected.n_rows)
        assert source.same_rows == expected.same_rows
        assert source.whole == (expected.whole and name != "ExpectedCounts")
        assert source.experiments == expected.experiments
        for _, batch in source.batches(FAMILIES):
            np.testing.assert_allclose(batch.n_rows, batch.marginal.sum(axis=1))


@pytest.mark.parametrize("make", [ChunkedSource, DaskSource])
def test_parts_that_were_only_observed_or_do_not_count_are_part_of_the_sums(make):
    table = random_table(3, weights="fractions")
    was_set = np.arange(table.n_rows) >= 2 * table.n_rows // 3
    table = table.with_interventions(["x" if row else "" for row in was_set])
    weights = np.where(np.arange(table.n_rows) < table.n_rows // 3, 0.0, 1.5)
    whole = table.with_weights(weights)
    if make is ChunkedSource:
        thirds = np.array_split(np.arange(table.n_rows), 3)
        with pytest.raises(ValueError, match="all weights are zero"):
            table.take(thirds[0]).with_weights(weights[thirds[0]])
        source = ChunkedSource(lambda: [whole.take(np.concatenate(thirds[:2])), whole.take(thirds[2])])
    else:
        source = DaskSource(dask_frame(whole), **dask_columns(whole))
    expected = BruteForce(whole)
    assert source.experiments == expected.experiments == {frozenset(), frozenset({"x"})}
    assert source.n_rows == pytest.approx(expected.n_rows)
    for a, b in zip(source.count(FAMILIES), expected.count(FAMILIES), strict=True):
        np.testing.assert_allclose(a.dense(), b.dense())


def test_columns_that_dask_does_not_have_are_named():
    frame = dask_frame(random_table(1, weights="whole"))
    with pytest.raises(ValueError, match=r"weights='weight': no column is called so.*weights"):
        DaskSource(frame, weights="weight")
    with pytest.raises(ValueError, match="a weight is a number, at least 0"):
        DaskSource(frame.assign(weights=frame["weights"] - 5), weights="weights").count(FAMILIES)


def test_operations_on_tables_keep_what_the_rows_carry():
    table = random_table(2, interventions=True, weights="whole")
    gone = remove_values(table, 0.2, seed=1)
    assert gone.has_gaps
    for kept in (
        gone,
        table.select(["z", "x", "y"]),
        table.with_target("x"),
        concat([table.head(30), table.take(slice(30, None))]),
    ):
        for name in table.names:
            assert kept.intervened(name).tolist() == table.intervened(name).tolist()
        assert kept.weights.tolist() == table.weights.tolist()
    assert table.select(["z"]).carrying(table).experiments == {frozenset(), frozenset({"z"})}
    with pytest.raises(ValueError, match="both need the same rows"):
        table.head(3).carrying(table)


def test_a_graph_is_learned_in_the_direction_that_interventions_decide_whatever_is_missing():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 600)
    y = np.where(rng.random(600) < 0.85, x, 1 - x)
    y[300:] = rng.integers(0, 2, 300)
    pair = random_table(0).variables[::2]
    table = Table(pair, [np.where(rng.random(600) < 0.1, 2, x), y], gaps=True).with_interventions(
        [""] * 300 + ["z"] * 300
    )
    for options in ({}, {"algorithm": "available-cases"}, {"not_at_random": True}):
        assert bnlab.learn(table, **options).edges == (("x", "z"),)


@pytest.mark.parametrize("kind", ["whole", "fractions"])
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("classifier", [NaiveBayes(), TAN("bic"), TAN("fcll"), CkG(1, "nml")])
def test_classifiers_train_with_the_weights_of_rows(classifier, gaps, kind):
    table = random_table(4, gaps=gaps, weights=kind)
    known = table.column("z") < 2
    table = table.take(known)
    frame = table.to_pandas()
    X, y = frame.drop(columns="z"), frame["z"].astype(int)
    found = classifier.fit(X, y, sample_weight=table.weights).predict_proba(X)
    if kind == "whole":
        rows = np.repeat(np.arange(table.n_rows), table.weights)
        expected = clone(classifier).fit(X.iloc[rows], y.iloc[rows]).predict_proba(X)
    else:  # twice the same row with half the weight each
        twice = pd.concat([X, X], ignore_index=True)
        half = np.concatenate([table.weights, table.weights]) / 2
        expected = clone(classifier).fit(twice, pd.concat([y, y], ignore_index=True), half).predict_proba(X)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert not np.allclose(found, clone(classifier).fit(X, y).predict_proba(X), atol=1e-3)


def test_weights_are_a_column_of_the_data():
    frame = pd.DataFrame({"x": ["a", "b", None, "a"], "y": [0, 1, 1, 0], "often": [2, 1, 5, 0.5]})
    table = bnlab.load_data(frame, missing="drop", weights="often")
    assert table.names == ("x", "y")
    assert table.weights.tolist() == [2, 1, 0.5]
    assert table.total == 3.5
    assert "weights that sum to 3.5" in repr(table)
    assert not table.equals(table.with_weights(None))
    assert pickle.loads(pickle.dumps(table)).equals(table)
    with pytest.raises(ValueError, match="weights='oftn': no column is called so"):
        bnlab.load_data(frame, missing="drop", weights="oftn")
    with pytest.raises(ValueError, match="Cut the columns first"):
        bnlab.load_data(frame, missing="drop", weights="often", discretize="quantile")


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 2], r"weights of shape \(2,\) for 3 rows"),
        ([1, -1, 2], "row 1 has the weight -1.0"),
        ([1, 1, np.nan], "row 2 has the weight nan"),
        ([0, 0, 0], "all weights are zero"),
        (["a", "b", "c"], "one number for each row"),
    ],
)
def test_wrong_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        random_table(1, n_rows=3).with_weights(weights)
