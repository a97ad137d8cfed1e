"""The Bayesian Dirichlet scores and where their hyperparameters come from."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

import bnlab
from bnlab.counts import FamilyBatch, FamilyCounts, count_source
from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.scores import BD, K2, BDe, BDeu, LocalScore, LocalScores
from tests.scores import exact_scores as exact
from tests.scores.small_tables import JointPrior, make_table

FAMILIES = [(0, ()), (1, (0,)), (3, (0, 1)), (2, (0, 1, 3))]


def scores_of(table: Table, score: LocalScore) -> np.ndarray:
    return LocalScores(table, score).many(FAMILIES)


def test_bd_with_ones_is_k2(four: Table) -> None:
    np.testing.assert_allclose(scores_of(four, BD(1)), scores_of(four, K2()), rtol=1e-13)
    np.testing.assert_allclose(scores_of(four, BD(lambda child, parents: 1)), scores_of(four, K2()), rtol=1e-13)


def test_bd_takes_each_cells_own_hyperparameter(tiny: Table) -> None:
    def hyper(child: str, parents: tuple[str, ...]) -> np.ndarray:
        arities = [tiny.variables[tiny.index(name)].arity for name in (*parents, child)]
        return np.arange(1, np.prod(arities) + 1).reshape(arities) / 4

    phi = LocalScores(tiny, BD(hyper))
    for child, parents in FAMILIES:
        table = hyper(tiny.names[child], tuple(tiny.names[p] for p in parents))
        expected = exact.bd(tiny, child, parents, lambda j, k, table=table: Fraction(float(table[(*j, k)])))
        assert phi(child, parents) == pytest.approx(expected, rel=1e-12)


def test_bde_takes_the_prior_networks_joint_probabilities(tiny: Table) -> None:
    prior = JointPrior(tiny.variables, exact.random_joint(tiny.arities, seed=2))
    phi = LocalScores(tiny, BDe(prior, ess=3))
    for child, parents in FAMILIES:
        joint = 3 * prior.marginal([tiny.names[v] for v in (*parents, child)])
        expected = exact.bd(tiny, child, parents, lambda j, k, joint=joint: Fraction(float(joint[(*j, k)])))
        assert phi(child, parents) == pytest.approx(expected, rel=1e-12)


def test_bde_matches_variables_and_states_by_name(four: Table) -> None:
    joint = exact.random_joint(four.arities, seed=8)
    order = [2, 0, 3, 1]
    moved = joint.transpose(order)[:, ::-1]
    variables = [four.variables[i] for i in order]
    variables[1] = Variable(variables[1].name, variables[1].states[::-1])
    same = scores_of(four, BDe(JointPrior(four.variables, joint)))
    np.testing.assert_allclose(scores_of(four, BDe(JointPrior(tuple(variables), moved))), same, rtol=1e-13)


def test_bde_matches_states_by_their_text_when_they_are_not_equal() -> None:
    table = Table([Variable("X", (0, 1))], [[0, 0, 1]])
    prior = JointPrior((Variable("X", ("1", "0")),), np.array([0.9, 0.1]))
    expected = BD([0.1, 0.9])(count_source(table).count([(0, ())])[0])
    assert LocalScores(table, BDe(prior))(0) == pytest.approx(expected, rel=1e-14)


def test_an_array_may_be_flat_or_have_an_axis_for_each_parent(four: Table) -> None:
    (counts,) = count_source(four).count([(3, (0, 1))])
    array = np.arange(1.0, 25.0).reshape(2, 3, 4)
    assert BD(array)(counts) == BD(array.reshape(6, 4))(counts)


def test_an_array_scores_a_stack_of_families_of_one_shape() -> None:
    table = make_table((2, 2, 2), 30, seed=0)
    families = [(0, (1,)), (1, (0,)), (2, (1,))]
    score = BD([[0.5, 1], [2, 3]])
    source = count_source(table)
    ((positions, batch),) = source.batches(families)
    np.testing.assert_allclose(score.batch(batch), [score(source.count([families[p]])[0]) for p in positions])


def test_hyperparameters_of_sparse_families_are_never_written_out() -> None:
    arities = (3,) * 31
    counts = FamilyCounts(np.array([[2, 1], [0, 4]]), np.array([7, 3**30]), arities)
    by_state = np.array([0.5, 2.0])
    expected = sum(BD(by_state)(FamilyCounts(row[None], np.array([0]), ())) for row in counts.table)
    assert BD(by_state)(counts) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("score", [BD(lambda child, parents: 1.0), BDe(JointPrior((), np.ones(())))])
def test_counts_alone_do_not_tell_the_family(four: Table, score: LocalScore) -> None:
    assert score.needs_family
    with pytest.raises(ValueError, match="LocalScores"):
        score.batch(FamilyBatch.of(count_source(four).count([(0, ())])))


@pytest.mark.parametrize("ess", [0, -1, inf, nan])
@pytest.mark.parametrize("make", [BDeu, lambda ess: BDe(JointPrior((), np.ones(())), ess)])
def test_sample_sizes_are_positive_and_finite(make: type[BDeu], ess: float) -> None:
    with pytest.raises(ValueError, match=f"ess={ess!r}: it must be a finite number greater than 0"):
        make(ess)


def test_a_sample_size_is_a_number() -> None:
    with pytest.raises(TypeError, match="ess='4' is not a number"):
        BDeu("4")  # type: ignore[arg-type]


@pytest.mark.parametrize("bad", [0.0, -1.0, inf, nan])
def test_hyperparameters_of_an_array_are_positive_and_finite(bad: float) -> None:
    with pytest.raises(ValueError, match=rf"bd: hyper\[1, 0\]: the hyperparameter N' is {bad:g}"):
        BD([[1, 2], [bad, 1]])


def test_the_error_names_the_configuration_that_a_function_leaves_empty(four: Table) -> None:
    def hyper(child: str, parents: tuple[str, ...]) -> np.ndarray:
        array = np.ones((2, 3, 4))
        array[1, 2, 0] = 0
        return array

    with pytest.raises(ValueError, match=r"family V3 \| V0, V1: V0=s1, V1=s2, V3=s0: .* is 0"):
        LocalScores(four, BD(hyper))(3, (0, 1))
    with pytest.raises(ValueError, match=r"family V3: everywhere: .* is 0"):
        LocalScores(four, BD(lambda child, parents: 0))(3, ())


def test_the_error_tells_which_shape_is_needed(four: Table) -> None:
    with pytest.raises(ValueError, match=r"family V1 \| V0: .*shape \(3, 2\) do not fit the family's \(2, 3\)"):
        LocalScores(four, BD(lambda child, parents: np.ones((3, 2))))("V1", ("V0",))
    with pytest.raises(ValueError, match=r"shape \(5,\) do not fit"):
        LocalScores(four, BD(np.ones(5)))("V1", ("V0",))


def test_a_prior_network_that_excludes_a_configuration_is_refused(four: Table) -> None:
    joint = exact.random_joint(four.arities, seed=0)
    joint[1, :, :, 2] = 0
    phi = LocalScores(four, BDe(JointPrior(four.variables, joint)))
    assert np.isfinite(phi("V3", ("V1",)))
    with pytest.raises(ValueError, match=r"bde: family V3 \| V0: V0=s1, V3=s2: the hyperparameter N' is 0.*BDeuPrior"):
        phi("V3", ("V0",))


def test_a_prior_network_on_other_variables_is_refused(four: Table) -> None:
    phi = LocalScores(four, BDe(JointPrior((Variable("V00", ("a", "b")),), np.array([0.5, 0.5]))))
    with pytest.raises(ValueError, match=r"prior network has no variable 'V0'; did you mean 'V00'\?"):
        phi("V0")


@pytest.mark.parametrize("states", [("s0", "s1", "s2"), ("s0",), ("s0", "other")])
def test_a_prior_network_with_other_states_is_refused(four: Table, states: tuple[str, ...]) -> None:
    prior = JointPrior((Variable("V0", states),), np.full(len(states), 1 / len(states)))
    with pytest.raises(ValueError, match=r"variable 'V0' has the states 's0', 's1' in the data and .*recoded"):
        LocalScores(four, BDe(prior))("V0")


def test_a_prior_network_is_a_network() -> None:
    with pytest.raises(TypeError, match="prior_network is a list: give a BayesianNetwork"):
        BDe([("A", "B")])  # type: ignore[arg-type]


def test_a_real_network_may_be_the_prior() -> None:
    net = bnlab.load_network("cancer")
    data = net.sample(2000, seed=5)
    uniform = bnlab.BayesianNetwork(
        Dag.empty(net.names), net.variables, [np.full(v.arity, 1 / v.arity) for v in net.variables]
    )
    expected = bnlab.score(net.dag, data, "bdeu", ess=3)
    assert bnlab.score(net.dag, data, "bde", prior_network=uniform, ess=3) == pytest.approx(expected, rel=1e-12)
    # The true network as a prior knows more than a uniform one.
    assert bnlab.score(net.dag, data, "bde", prior_network=net, ess=50) > bnlab.score(net.dag, data, "bdeu", ess=50)
