"""Networks over time, beside sums over all sequences."""

from __future__ import annotations

from itertools import product
from math import log

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.dynamic import DynamicDag, DynamicNetwork, Panel, learn_dynamic
from bnlab.graphs import Dag
from bnlab.networks import BDeuPrior, ImpossibleEvidence
from tests.dynamic.panels import random_panel


def random_network(seed: int, n: int = 2, static: int = 1, lags: int = 1, **options) -> DynamicNetwork:
    panel = random_panel(seed, n=n, static=static, lags=lags, units=60)
    return DynamicNetwork.fit(learn_dynamic(panel, "cdbn", p=2, score="aic", **options), panel, BDeuPrior(3.0))


def probability(net: DynamicNetwork, fixed: tuple[int, ...], slices: list[tuple[int, ...]]) -> float:
    """Probability of the codes of the static variables and of each slice, step by step."""
    n, lags, total = len(net.names), net.lags, 1.0
    flat = [*fixed, *(code for codes in slices[:lags] for code in codes)]
    for v, cpt in enumerate(net.prior.cpts[: len(flat)]):
        total *= cpt[tuple(flat[u] for u in (*net.prior.dag.parents[v], v))]
    for s in range(lags, len(slices)):
        step = net.transitions[0 if len(net.transitions) == 1 else s - lags]
        flat = [*fixed, *(code for codes in slices[s - lags : s + 1] for code in codes)]
        for v in range(len(flat) - n, len(flat)):
            total *= step.cpts[v][tuple(flat[u] for u in (*step.dag.parents[v], v))]
    return total


def sequences(net: DynamicNetwork, length: int):
    """Codes of all sequences and their probabilities."""
    states = [range(v.arity) for v in net.variables]
    fixed = [range(v.arity) for v in net.prior.variables[: len(net.static)]]
    for start in product(*fixed):
        for slices in product(product(*states), repeat=length):
            yield start, slices, probability(net, start, list(slices))


def by_summation(net, length, history, until=None):
    """Distribution of each variable at each time, given the history up to a time."""
    tables = [np.zeros((length, v.arity)) for v in net.variables]
    seen = history.iloc[: None if until is None else until + 1]
    values = [(s, i, v, seen[v.name].iloc[s]) for s in range(len(seen)) for i, v in enumerate(net.variables)]
    known = [(s, i, v.code(value)) for s, i, v, value in values if not pd.isna(value)]
    fixed = [net.prior.variables[0].code(value) for value in seen["s0"].dropna()]
    for start, slices, p in sequences(net, length):
        if all(slices[s][i] == code for s, i, code in known) and all(start[0] == code for code in fixed):
            for s, codes in enumerate(slices):
                for i, code in enumerate(codes):
                    tables[i][s, code] += p
    return {name: t / t[0].sum() for name, t in zip(net.names, tables, strict=True)}


@pytest.mark.parametrize(("lags", "stationary"), [(1, True), (2, True), (1, False)])
def test_the_unrolled_network_is_the_product_of_its_steps(lags, stationary):
    net = random_network(1, lags=lags, stationary=stationary)
    flat = net.unroll(3)
    total = 0.0
    for start, slices, p in sequences(net, 3):
        codes = (*start, *(code for part in slices for code in part))
        found = np.prod([cpt[tuple(codes[u] for u in (*flat.dag.parents[v], v))] for v, cpt in enumerate(flat.cpts)])
        assert found == pytest.approx(p)
        total += p
    assert total == pytest.approx(1)
    assert flat.dag == net.structure.unroll(3)


HISTORY = pd.DataFrame({"x0": [0, None, 1], "x1": [None, 1, None], "s0": [None, "yes", None]}, dtype=object)


@pytest.mark.parametrize("lags", [1, 2])
def test_filtering_smoothing_and_forecasts_are_sums_over_all_sequences(lags):
    net = random_network(2, lags=lags)
    filtered, smoothed = net.filter(HISTORY), net.smooth(HISTORY)
    ahead = net.forecast(HISTORY, 1)
    everything = by_summation(net, 4, HISTORY)
    until = [by_summation(net, 3, HISTORY, until=s) for s in range(3)]
    for name in net.names:
        np.testing.assert_allclose(smoothed.probabilities[name], everything[name][:3])
        np.testing.assert_allclose(ahead.probabilities[name], everything[name][3:])
        for s, now in enumerate(until):
            np.testing.assert_allclose(filtered.probabilities[name][s], now[name][s])
    assert (filtered.times, ahead.times) == ((0, 1, 2), (3,))
    assert filtered.to_pandas().loc[1, ("x1", 1)] == pytest.approx(1)


def test_a_panel_of_one_unit_is_a_history():
    net, panel = random_network(3), random_panel(3, n=2, gaps=True)
    one = panel.take([4])
    frame = one.table.to_pandas().astype(object)
    expected = net.forecast(frame.where(frame.notna(), None), 2)
    found = net.forecast(one, 2)
    for name in net.names:
        np.testing.assert_allclose(found.probabilities[name], expected.probabilities[name])
    with pytest.raises(ValueError, match=r"take one, panel\.take"):
        net.smooth(panel)


@pytest.mark.parametrize("gaps", [False, True])
def test_the_log_likelihood_of_a_unit_is_that_of_its_sequence(gaps):
    net, panel = random_network(4), random_panel(4, n=2, units=20, gaps=gaps)
    short = panel.take(np.flatnonzero(panel.lengths <= 3))
    found = net.log_likelihood(short)
    for u in range(len(short.units)):
        rows = short.table.take(short.unit_of == u)
        wanted = [rows.column(v).tolist() for v in range(3)]
        total = 0.0
        for start, slices, p in sequences(net, rows.n_rows):
            codes = [[start[0]] * rows.n_rows, *zip(*slices, strict=True)]
            pairs = zip(wanted, codes, rows.arities, strict=True)
            total += p * all(w in (c, r) for row, own, r in pairs for w, c in zip(row, own, strict=True))
        assert found[u] == pytest.approx(log(total))
    assert len(set(short.lengths.tolist())) > 1


def test_a_value_that_was_set_adds_nothing_to_the_log_likelihood():
    net, panel = random_network(5, static=0), random_panel(5, n=2, static=0)
    rows = panel.table.with_interventions(["x0"] * panel.table.n_rows)
    done = net.log_likelihood(Panel(rows, panel.unit_of, panel.times, panel.units))
    only = np.zeros(len(panel.units))
    for length in set(panel.lengths.tolist()):
        units, table = panel.unrolled(length)
        flat = net.unroll(length)
        for s in range(length):
            i = flat.dag.index(f"x1[{s}]")
            codes = tuple(table.column(v) for v in (*flat.dag.parents[i], i))
            only[units] += np.log(flat.cpts[i][codes])
    np.testing.assert_allclose(done, only)


def test_probabilities_are_shares_of_the_transitions():
    panel = random_panel(6, n=2, weights=True)
    structure = learn_dynamic(panel)
    net = DynamicNetwork.fit(structure, panel)
    table = panel.transitions
    name = "x1[t]"
    parents = structure.transition.parents_of(name)
    frame = table.to_pandas().assign(w=table.weights)
    shares = frame.groupby([*parents, name], observed=True).w.sum()
    shares = (
        shares / shares.groupby(list(parents), observed=True).transform("sum") if parents else shares / shares.sum()
    )
    for states, share in shares.items():
        at = tuple(table.variables[table.index(v)].code(s) for v, s in zip((*parents, name), states, strict=True))
        assert net.transition.cpt(name)[at] == pytest.approx(share)


def test_missing_values_leave_the_complete_rows_of_a_family():
    panel = random_panel(7, n=2, static=0, gaps=True)
    prior = Dag(["x0[0]", "x1[0]"], [(), ()])
    step = Dag(["x0[t-1]", "x1[t-1]", "x0[t]", "x1[t]"], [(), (), (0,), (2,)])
    net = DynamicNetwork.fit(DynamicDag(prior, (step,)), panel)
    before, now = panel.transitions.column("x0[t-1]"), panel.transitions.column("x0[t]")
    r = panel.transitions.arities[0]
    counts = np.array([[((before == a) & (now == b)).sum() for b in range(r)] for a in range(r)])
    np.testing.assert_allclose(net.transition.cpt("x0[t]"), counts / counts.sum(axis=1, keepdims=True))


def test_a_sample_has_the_probabilities_of_the_network_and_learns_it_again():
    net = random_network(8, static=1)
    panel = net.sample(4000, 4, seed=1)
    assert (panel.names, panel.static, panel.table.n_rows) == (net.names, net.static, 16000)
    again = DynamicNetwork.fit(net.structure, panel)
    seen = np.zeros(4000) + panel.lengths
    assert seen.sum() == 16000
    for a, b in zip(net.transition.cpts[-2:], again.transition.cpts[-2:], strict=True):
        assert np.abs(a - b).max() < 0.15
    assert net.sample(10, 4, seed=1).table.equals(panel.take(range(10)).table)


@pytest.mark.parametrize(("lags", "stationary"), [(1, True), (2, True), (1, False)])
def test_a_file_gives_the_network_back(tmp_path, lags, stationary):
    net = random_network(9, lags=lags, stationary=stationary)
    net.save(tmp_path / "net.bif")
    found = DynamicNetwork.load(tmp_path / "net.bif")
    assert (found.names, found.static, found.lags) == (net.names, net.static, net.lags)
    assert found.structure == net.structure
    length = 4 if stationary else len(net.transitions) + 1
    for a, b in zip(found.unroll(length).cpts, net.unroll(length).cpts, strict=True):
        np.testing.assert_array_equal(a, b)
    bnlab.load_network(tmp_path / "net.bif")
    bnlab.load_network("asia").to_bif(tmp_path / "asia.bif")
    with pytest.raises(ValueError, match="one over time has a node a variable and slice"):
        DynamicNetwork.load(tmp_path / "asia.bif")


@pytest.mark.parametrize(
    ("history", "error", "message"),
    [
        (pd.DataFrame({"x9": [1]}), ValueError, "'x9' of the history is no variable"),
        (pd.DataFrame({"x0": [7]}), ValueError, "no state 7"),
        (pd.DataFrame({"x0": []}), ValueError, "no row"),
        (pd.DataFrame({"s0": ["yes", "no"]}), ValueError, "'s0' changes within the history"),
        ([1, 2], TypeError, "give a DataFrame"),
    ],
)
def test_wrong_histories_are_refused(history, error, message):
    with pytest.raises(error, match=message):
        random_network(2).smooth(history)


def test_impossible_histories_and_slices_without_a_transition_are_refused():
    panel = bnlab.load_panel({"x_0": [0, 1] * 30, "x_1": [1, 0] * 30}, wide="_")
    net = DynamicNetwork.fit(learn_dynamic(panel), panel)
    with pytest.raises(ImpossibleEvidence):
        net.filter(pd.DataFrame({"x": [0, 0]}))
    steps = random_network(9, stationary=False)
    with pytest.raises(ValueError, match="stationary=True"):
        steps.forecast(pd.DataFrame({"x0": [0]}), 9)
    with pytest.raises(ValueError, match="both must be of the same variables"):
        DynamicNetwork.fit(learn_dynamic(panel), random_panel(1))


def test_held_out_units_tell_the_true_structure_from_an_empty_one():
    net = random_network(10)
    panel = net.sample(600, 4, seed=3)
    train, test = panel.take(range(400)), panel.take(range(400, 600))
    empty = DynamicDag(
        Dag(net.prior.names, [()] * len(net.prior.names)),
        (Dag(net.transition.names, [()] * len(net.transition.names)),),
        net.static,
    )
    true, none = (
        DynamicNetwork.fit(s, train, BDeuPrior(1.0)).log_likelihood(test).mean() for s in (net.structure, empty)
    )
    assert true > none
