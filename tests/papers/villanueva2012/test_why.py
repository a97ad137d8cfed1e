"""Explanations of edges: the test that decided, and the cause of an error."""

import numpy as np
import pytest

from bnlab.citests import DSeparation, G2Tester
from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, asia
from bnlab.papers.villanueva2012 import ALGORITHMS, Trace, causes
from bnlab.papers.villanueva2012.why import CHANCE, DETERMINED, FEW_ROWS, NEVER, WEAK
from bnlab.search import run
from bnlab.skeletons import make_search


@pytest.fixture(scope="module")
def net():
    return asia()


@pytest.fixture(scope="module")
def table(net):
    return net.sample(2000, seed=4)


def strong(dag):
    """Network of binary variables, each a noisy sum of its parents."""
    tables = []
    for parents in dag.parents:
        sums = np.indices((2,) * len(parents)).sum(axis=0) if parents else np.zeros(())
        p = np.where(sums > 0, 0.55 + 0.2 * sums, 0.3 if not parents else 0.1)
        tables.append(np.stack([1 - p, p], axis=-1))
    return BayesianNetwork(dag, [Variable(name, ("0", "1")) for name in dag.names], tables)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_recording_changes_nothing(algorithm, table, net) -> None:
    trace = Trace(table, algorithm, net.dag)
    graph = run(make_search(trace.tester, algorithm, variant="paper"))
    assert trace.graph.pairs == graph.pairs
    assert trace.graph.nsc == graph.nsc


def test_a_tester_brings_its_own_rules(table) -> None:
    trace = Trace(G2Tester(table, 0.001, df="plain"), "mmpc")
    assert (trace.tester.alpha, trace.tester.df) == (0.001, "plain")
    assert trace.graph == Trace(table, "mmpc", alpha=0.001, df="plain").graph


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_deciding_test_agrees_with_the_graph(algorithm, table, net) -> None:
    trace = Trace(table, algorithm, net.dag)
    for i, a in enumerate(table.names):
        for b in table.names[i + 1 :]:
            told = trace.explain(b, a)
            assert (told.a, told.b) == (a, b)
            if told.test is not None:
                assert told.test.dependent == told.joined, told.sentence


@pytest.mark.parametrize("algorithm", ["opthpc", "hpc", "mmpc", "getpc"])
def test_turns_and_rule_give_the_graph(algorithm, table) -> None:
    trace = Trace(table, algorithm)
    rule = any if algorithm in ("opthpc", "hpc") else all
    for i, a in enumerate(table.names):
        for b in table.names[i + 1 :]:
            told = trace.explain(a, b)
            assert [turn.target for turn in told.turns] == [a, b]
            assert rule(turn.found for turn in told.turns) == told.joined


def test_errors_are_the_pairs_on_which_the_graphs_differ(table, net) -> None:
    trace = Trace(table, "hpc", net.dag)
    true = {frozenset(edge) for edge in net.dag.edges}
    found = {frozenset(edge) for edge in trace.graph.edges}
    errors = trace.errors()
    assert {frozenset((e.a, e.b)) for e in errors if e.kind == "extra"} == found - true
    assert {frozenset((e.a, e.b)) for e in errors if e.kind == "missing"} == true - found
    assert all(error.cause for error in errors)
    assert causes(errors).edges.sum() == len(errors)


def test_an_edge_without_rows_enough_is_said_to_lack_them(net) -> None:
    told = Trace(net.sample(15, seed=1), "mmpc", net.dag).explain("smoke", "bronc")
    assert (told.joined, told.kind, told.cause) == (False, "missing", FEW_ROWS)
    assert (told.rows, told.needed) == (15, 20)
    assert "needs 20 rows and there are 15" in told.sentence


def test_an_edge_too_weak_is_said_to_be_weak() -> None:
    bit = ("0", "1")
    table = Table([Variable("X", bit), Variable("Y", bit)], [[0, 1] * 20, [0, 0, 1, 1] * 10])
    told = Trace(table, "hpc", Dag.from_edges("XY", [("X", "Y")])).explain("X", "Y")
    assert (told.kind, told.cause) == ("missing", WEAK)


def test_an_edge_lost_to_a_copy_is_said_to_be_determined() -> None:
    bit = ("0", "1")
    x, noise = [0, 1] * 200, ([0] * 9 + [1]) * 40
    y = [a ^ b for a, b in zip(x, noise, strict=True)]
    table = Table([Variable("copy", bit), Variable("X", bit), Variable("Y", bit)], [x, x, y])
    told = Trace(table, "mmpc", Dag.from_edges(["copy", "X", "Y"], [("copy", "X"), ("X", "Y")])).explain("X", "Y")
    assert (told.kind, told.cause, told.test.outcome.df) == ("missing", DETERMINED, 0)


def check_causes_of_extra_edges(trace):
    """Whether each extra edge has the cause that an oracle gives it; returns the causes."""
    oracle = DSeparation(trace.dag)
    extra = [error for error in trace.errors() if error.kind == "extra"]
    for error in extra:
        i, j = trace.names.index(error.a), trace.names.index(error.b)
        tried = [made for made in trace._tests[i, j] if made.strength > 0]
        assert any(oracle.strength(i, j, made.given) == 0 for made in tried) == (error.cause == CHANCE)
    return {error.cause for error in extra}


def test_an_extra_edge_is_put_down_to_chance_if_a_true_separator_was_tried(table, net) -> None:
    assert check_causes_of_extra_edges(Trace(table, "hpc", net.dag, alpha=0.3)) == {CHANCE}


def test_an_extra_edge_that_no_true_separator_was_tried_for_is_not_put_down_to_chance() -> None:
    """Only {A, B} separates T from X, and the printed OptHPC does not try it, as B is a spouse."""
    edges = [("T", "A"), ("B", "A"), ("B", "X"), ("A", "X"), ("T", "C"), ("X", "C")]
    dag = Dag.from_edges(["T", "A", "B", "X", "C"], edges)
    assert check_causes_of_extra_edges(Trace(strong(dag).sample(5000, seed=1), "opthpc", dag)) == {NEVER}


def test_without_a_true_graph_nothing_is_called_wrong(table) -> None:
    trace = Trace(table, "mmpc")
    assert trace.explain("asia", "tub").kind is None
    with pytest.raises(ValueError, match="give the true graph"):
        trace.errors()


def test_a_pair_must_be_two_variables_of_the_data(table) -> None:
    trace = Trace(table, "heupc")
    with pytest.raises(ValueError, match="did you mean 'smoke'"):
        trace.explain("asia", "smok")
    with pytest.raises(ValueError, match="two different variables"):
        trace.explain("asia", "asia")


def test_a_sentence_tells_numbers_and_truth(table, net) -> None:
    told = Trace(table, "opthpc", net.dag).explain("bronc", "smoke")
    assert told.sentence.startswith("smoke – bronc is in, and in the true network too. smoke finds bronc (")
    assert "nearest to separating them" in told.sentence
    assert repr(told) == told.sentence
