"""What each variable says about a target, against the joint distribution of all variables."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from bnlab.networks import asia, load_network, sensitivity, what_matters


def entropy(p):
    p = p[p > 0]
    return -(p * np.log(p)).sum()


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_every_number_equals_that_of_the_joint_distribution(random_network, joint, seed, zeros):
    net = random_network(seed, n=6, zeros=zeros)
    full = joint(net)
    t, e = max(range(6), key=net.arities.__getitem__), int(np.argmin(net.arities))
    state = int(np.argmax(full.sum(axis=tuple(v for v in range(6) if v != e))))
    found = what_matters(net, net.names[t], {net.names[e]: net.variables[e].states[state]})
    assert set(found.index) == set(net.names) - {net.names[t], net.names[e]}
    assert found.information.is_monotonic_decreasing
    part = np.take(full, [state], axis=e) / np.take(full, [state], axis=e).sum()
    for name, row in found.iterrows():
        v = net.names.index(name)
        pair = part.sum(axis=tuple(u for u in range(6) if u not in (t, v)))
        pair = pair if t < v else pair.T
        p_t, p_v = pair.sum(axis=1), pair.sum(axis=0)
        assert row.information == pytest.approx(entropy(p_t) + entropy(p_v) - entropy(pair.ravel()), abs=1e-12)
        assert row.share == pytest.approx(row.information / entropy(p_t) if entropy(p_t) else 0, abs=1e-12)
        possible = pair[:, p_v > 0] / p_v[p_v > 0]
        assert row.change == pytest.approx(np.abs(possible - p_t[:, None]).max(), abs=1e-12)
        assert row.accuracy == pytest.approx((p_v[p_v > 0] * possible.max(axis=0)).sum() - p_t.max(), abs=1e-12)


def test_the_markov_blanket_is_that_of_the_moral_graph():
    net = load_network("alarm")
    graph = nx.moral_graph(net.dag.to_networkx())
    for target in ("BP", "HR", "VENTLUNG"):
        found = what_matters(net, target)
        assert set(found.index[found.blanket]) == set(graph[target])


def test_a_variable_that_is_d_separated_says_nothing():
    found = what_matters(asia(), "asia", {"tub": "no"})
    assert found.loc["smoke"].tolist() == pytest.approx([False, 0, 0, 0, 0], abs=1e-12)


def test_an_observed_target_is_refused():
    with pytest.raises(ValueError, match="target 'lung' is observed: leave it out"):
        what_matters(asia(), "lung", {"lung": "yes"})
    with pytest.raises(ValueError, match="did you mean 'lung'"):
        what_matters(asia(), "lungs")


def test_a_variable_without_a_state_is_not_observed():
    without = what_matters(asia(), "lung", {"dysp": "yes"})
    for nothing in (None, float("nan"), ["yes", "no"], {"yes": 0.5, "no": 0.5}):
        found = what_matters(asia(), "lung", {"dysp": "yes", "xray": nothing, "lung": None})
        pd.testing.assert_frame_equal(found.sort_index(), without.sort_index(), atol=1e-12)
        assert sensitivity(asia(), "lung", "yes", {"lung": None}).node.nunique() == 8
