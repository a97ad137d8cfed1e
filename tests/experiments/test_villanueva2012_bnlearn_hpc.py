"""R bnlearn's HPC, replayed: its edges, and the step that drops each other pair."""

import pandas as pd
import pytest

from bnlab.data import Table, Variable
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


@pytest.fixture(scope="module")
def rows(golden):
    codes = pd.read_csv(golden / "alarm5k_data.csv.gz")
    states = pd.read_csv(golden / "alarm5k_states.csv", keep_default_na=False).groupby("variable", sort=False).state
    return Table.from_codes(codes.to_numpy(), [Variable(name, tuple(states.get_group(name))) for name in codes])


@pytest.fixture(scope="module", params=list(TESTS))
def replay_and_r(request, rows, golden):
    in_r = pd.read_csv(golden / f"alarm5k_hpc_{request.param}_edges.csv").itertuples(index=False, name=None)
    return BnlearnHPC(rows, **TESTS[request.param]), {frozenset(edge) for edge in in_r}


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


def test_the_steps_tell_the_tests_apart(rows) -> None:
    replay = BnlearnHPC(rows)
    pairs = [(a, b) for i, a in enumerate(rows.names) for b in rows.names[i + 1 :]]
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


def test_a_second_look_may_be_given_the_variable_itself(rows) -> None:
    replay = BnlearnHPC(rows, **TESTS["mi"])
    own, second = replay.refusals("INTUBATION", "SHUNT")
    assert (own.target, own.around, own.step) == ("INTUBATION", "INTUBATION", BLANKET)
    assert (second.target, second.around, second.step) == ("SHUNT", "INTUBATION", ITSELF)
    assert second.given == ("SHUNT",)
    assert "SHUNT drops INTUBATION, in the second look for INTUBATION" in repr(second)


def test_what_hpc_finds_beyond_r_is_lost_in_the_second_look_but_for_one_edge(rows) -> None:
    for test, lost in (("mi-adf", {frozenset(("HRBP", "HRSAT"))}), ("mi", set())):
        found = {frozenset(edge) for edge in skeleton(rows, "hpc", rule="and", **TESTS[test]).edges}
        replay = BnlearnHPC(rows, **TESTS[test], second_look="from nothing")
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
