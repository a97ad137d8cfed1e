"""Counts, scores and networks of rows of which some are interventions."""

from __future__ import annotations

import pickle
from math import log

import numpy as np
import pytest

import bnlab
from bnlab.citests import G2Tester
from bnlab.counts import count_source
from bnlab.counts.information import mutual_information
from bnlab.data import concat
from bnlab.networks import asia, fit
from bnlab.scores import BDeu, LocalScores, local_scores
from tests.soak import times


def mixed(net, seed, observed, rows):
    """Some rows observed and, for each node, some in which it is set to one of its states."""
    parts = [net.sample(observed, seed)]
    for i, variable in enumerate(net.variables):
        changed = net.do({variable.name: variable.states[(i + seed) % variable.arity]})
        parts.append(changed.sample(rows, 1000 * (seed + 1) + i).with_interventions(variable.name))
    return concat(parts)


@pytest.fixture(scope="module")
def data():
    return mixed(asia(), 1, 200, 20).select(["smoke", "lung", "bronc", "dysp"])


def predictive(table, child, parents, ess):
    """Log-probability of the states of a child, one row after the other, without the rows that set it."""
    r, q = table.arities[child], np.prod([table.arities[p] for p in parents], dtype=int)
    seen, total = {}, 0.0
    for row, was_set in zip(
        zip(*map(table.column, range(4)), strict=True), table.intervened(table.names[child]), strict=True
    ):
        if not was_set:
            counts = seen.setdefault(tuple(row[p] for p in parents), np.zeros(r))
            total += log((counts[row[child]] + ess / (r * q)) / (counts.sum() + ess / q))
            counts[row[child]] += 1
    return total


@pytest.mark.parametrize(("child", "parents"), [(1, ()), (1, (0,)), (3, (0, 1, 2))])
def test_bdeu_predicts_only_the_rows_in_which_the_child_was_not_set(data, child, parents):
    assert local_scores(data, "bdeu", ess=3.0)(child, parents) == pytest.approx(predictive(data, child, parents, 3.0))


@pytest.mark.parametrize("name", ["bic", "aic", "ll", "nml", "mit", "k2", "bdeu"])
def test_every_score_of_counts_is_that_of_the_rows_in_which_the_child_was_not_set(data, name):
    phi = local_scores(data, name)
    assert not phi.score_equivalent
    families = [(v, p) for v in range(4) for p in ((), *(((u,)) for u in range(4) if u != v))]
    for child, parents in families:
        rows = data.with_interventions(None).take(~data.intervened(data.names[child]))
        assert phi(child, parents) == pytest.approx(local_scores(rows, name)(child, parents), rel=1e-12)
    assert pickle.loads(pickle.dumps(phi)).many(families) == pytest.approx(phi.many(families))


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2", "nml"])
def test_no_family_passes_its_bound(score):
    # "either" follows from its parents, so that BIC and AIC reach the bound.
    phi = local_scores(mixed(asia(), 1, 200, 20).select(["tub", "lung", "either"]), score)
    for child, parents in ((2, (0, 1)), (0, (1, 2)), (1, (0, 2))):
        assert phi(child, parents) <= phi.bounds(child, np.array([parents]))[0] + 1e-9


def test_a_variable_that_was_set_in_every_row_says_nothing(data):
    always = data.with_interventions("lung")
    counts = count_source(always).count([(1, (0,)), (0, (1,))])
    assert (counts[0].n_rows, counts[1].n_rows) == (0, data.n_rows)
    phi = LocalScores(always, BDeu())
    assert phi.many([(1, ()), (1, (0,)), (1, (0, 2))]).tolist() == [0, 0, 0]
    assert fit([("smoke", "lung")], always).cpt("lung").tolist() == [[0.5, 0.5], [0.5, 0.5]]
    for wrong in ((1, (1,)), (1, (9,)), (9, ())):
        with pytest.raises(ValueError, match=r"family|variable 9 is not in"):
            phi.many([wrong])


def test_probabilities_are_estimated_without_the_rows_that_set_the_node():
    net = asia()
    found = fit(net.dag, mixed(net, 2, 20_000, 5000))
    assert found.cpt("smoke") == pytest.approx(net.cpt("smoke"), abs=0.02)
    assert found.cpt("bronc") == pytest.approx(net.cpt("bronc"), abs=0.02)


def test_the_likelihood_of_a_row_leaves_out_the_nodes_it_sets():
    net = asia()
    rows = net.do({"tub": "yes"}).sample(50, seed=1)
    expected = net.do({"tub": "yes"}).log_likelihood(rows)
    assert net.log_likelihood(rows.with_interventions("tub")) == pytest.approx(expected)
    assert (net.log_likelihood(rows) < expected).all()


def test_interventions_tell_directions_in_the_network_of_sachs():
    net = bnlab.load_network("sachs")
    distance = {"observed": 0, "mixed": 0, "ignored": 0}
    for seed in range(times(1, 4)):
        data = mixed(net, seed, 1010, 90)
        cases = {"observed": net.sample(2000, seed), "mixed": data, "ignored": data.with_interventions(None)}
        for name, table in cases.items():
            distance[name] += bnlab.compare(bnlab.learn(table, score="bdeu"), net.dag).shd
    assert 3 * distance["mixed"] < min(distance["observed"], distance["ignored"])


def test_tests_of_independence_refuse_interventions(data):
    for call in (G2Tester, mutual_information, lambda rows: bnlab.skeleton(rows, "mmpc")):
        with pytest.raises(ValueError, match=r"some rows are interventions.*bnlab.learn\(data\)"):
            call(data)
    assert G2Tester(data.take(~data.intervened())).strength(0, 1, ()) >= 0
