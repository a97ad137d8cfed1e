"""R bnlearn's HPC, replayed: its edges, and the step that drops each other pair."""

import pytest

from bnlab.data import Table, Variable
from bnlab.experiments.published import alarm5k_edges
from bnlab.experiments.villanueva2012 import BnlearnHPC
from bnlab.experiments.villanueva2012.bnlearn_hpc import (
    BLANKET,
    FALSE_DISCOVERY,
    FEW_ROWS,
    ITSELF,
    MARGINAL,
    ONE,
    SUBSET,
)
from bnlab.networks import asia, cancer
from bnlab.skeletons import skeleton

TESTS = {"mi-adf": {}, "mi": {"df": "plain", "rows_per_cell": 0}}


def table_of_two() -> Table:
    bit = ("0", "1")
    return Table([Variable("A", bit), Variable("B", bit)], [[0, 1] * 50, [0, 1] * 50])


@pytest.fixture(scope="module", params=list(TESTS))
def replay_and_r(request, alarm5k):
    return BnlearnHPC(alarm5k, **TESTS[request.param]), alarm5k_edges("hpc", request.param)


def test_every_edge_of_r_is_found_and_no_other(replay_and_r) -> None:
    replay, in_r = replay_and_r
    assert {frozenset(edge) for edge in replay.edges} == in_r


def test_a_test_of_two_variables_is_asked_for_from_either_end() -> None:
    replay = BnlearnHPC(table_of_two())
    assert replay.edges == (("A", "B"),)
    assert replay.tests == 2


def test_every_other_pair_has_a_test_that_refused_it(replay_and_r) -> None:
    replay, in_r = replay_and_r
    for i, a in enumerate(replay.names):
        for b in replay.names[i + 1 :]:
            refusals = replay.refusals(a, b)
            assert bool(refusals) == (frozenset((a, b)) not in in_r)
            assert all(refusal.p_value > refusal.bound for refusal in refusals)


def test_the_steps_tell_the_tests_apart(alarm5k) -> None:
    replay = BnlearnHPC(alarm5k)
    pairs = [(a, b) for i, a in enumerate(alarm5k.names) for b in alarm5k.names[i + 1 :]]
    steps = {}
    for a, b in pairs:
        for refusal in replay.refusals(a, b):
            steps.setdefault(refusal.step, []).append(refusal)
    assert set(steps) >= {MARGINAL, ONE, BLANKET, FALSE_DISCOVERY, FEW_ROWS}
    assert all(refusal.given == () for refusal in steps[MARGINAL])
    assert all(len(refusal.given) == 1 for refusal in steps[ONE])
    assert all(refusal.p_value <= 0.05 for refusal in steps[FALSE_DISCOVERY])
    assert all(refusal.p_value == 1 for refusal in steps[FEW_ROWS])
    assert all(refusal.bound == 0.05 for step in (MARGINAL, ONE, SUBSET) for refusal in steps.get(step, []))


def test_a_second_look_may_be_given_the_variable_itself(alarm5k) -> None:
    replay = BnlearnHPC(alarm5k, **TESTS["mi"])
    own, second = replay.refusals("INTUBATION", "SHUNT")
    assert (own.target, own.around, own.step) == ("INTUBATION", "INTUBATION", BLANKET)
    assert (second.target, second.around, second.step) == ("SHUNT", "INTUBATION", ITSELF)
    assert second.given == ("SHUNT",)
    assert "SHUNT drops INTUBATION, in the second look for INTUBATION" in repr(second)


def test_what_hpc_finds_beyond_r_is_lost_in_the_second_look_but_for_one_edge(alarm5k) -> None:
    for test, lost in (("mi-adf", {frozenset(("HRBP", "HRSAT"))}), ("mi", set())):
        found = {frozenset(edge) for edge in skeleton(alarm5k, "hpc", variant="paper", rule="and", **TESTS[test]).edges}
        replay = BnlearnHPC(alarm5k, **TESTS[test], second_look="from nothing")
        assert {frozenset(edge) for edge in replay.edges} == found - lost


@pytest.mark.parametrize("net", [cancer(), asia()], ids=["cancer", "asia"])
def test_strong_dependences_of_a_small_network_are_found(net) -> None:
    replay = BnlearnHPC(net.sample(50_000, seed=1))
    true = {frozenset(edge) for edge in net.dag.edges}
    found = {frozenset(edge) for edge in replay.edges}
    assert found <= true
    assert len(true - found) <= 2


def test_unknown_names_are_refused_in_words() -> None:
    replay = BnlearnHPC(cancer().sample(500, seed=1))
    with pytest.raises(ValueError, match="no variable 'Xrays'"):
        replay.refusals("Xrays", "Cancer")
    with pytest.raises(ValueError, match="second_look='nothing'"):
        BnlearnHPC(cancer().sample(500, seed=1), second_look="nothing")
