"""Exact inference where probabilities leave the range of floats: hubs, chains, and networks of extreme tables."""

from __future__ import annotations

from fractions import Fraction
from math import exp, fsum, log

import numpy as np
import pytest

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, ImpossibleEvidence, JunctionTree, marginal
from tests.soak import times

LEAVES = 800
"""So many probabilities of a third multiply to less than the smallest float."""


def hub(prior: list[float], tables: list[np.ndarray]) -> BayesianNetwork:
    """Naive Bayes: class C, and a leaf for each table of shape (classes, states)."""
    names = ["C", *(f"x{i}" for i in range(len(tables)))]
    variables = [Variable("C", tuple(range(len(prior))))]
    variables += [Variable(name, tuple(range(table.shape[1]))) for name, table in zip(names[1:], tables, strict=True)]
    return BayesianNetwork(Dag(names, [(), *[(0,)] * len(tables)]), variables, [prior, *tables])


def classes_given(net: BayesianNetwork, shown: dict[str, int]) -> tuple[np.ndarray, float]:
    """Distribution of the class and the log-probability of the evidence, by sums of logarithms."""
    logs = np.log(
        [
            net.cpt("C") / net.cpt("C").sum(),
            *(net.cpt(name)[:, k] / net.cpt(name).sum(axis=1) for name, k in shown.items()),
        ]
    )
    best = max(range(logs.shape[1]), key=lambda c: fsum(logs[:, c]))
    weights = [exp(fsum([*logs[:, c], *-logs[:, best]])) for c in range(logs.shape[1])]
    return np.array(weights) / fsum(weights), fsum([*logs[:, best], log(fsum(weights))])


@pytest.fixture(scope="module", params=[2, 26, 100])
def large_hub(request: pytest.FixtureRequest) -> tuple[BayesianNetwork, JunctionTree]:
    """Tables differ so little that no class wins, however many leaves are observed."""
    rng, classes = np.random.default_rng(request.param), request.param
    tables = []
    for _ in range(LEAVES):
        table = rng.dirichlet(np.ones(3)) * np.exp(rng.normal(0, 0.02, (classes, 3)))
        tables.append(table / table.sum(axis=1, keepdims=True))
    net = hub(rng.dirichlet(np.ones(classes)).tolist(), tables)
    return net, JunctionTree(net)


@pytest.mark.parametrize("shown", [0, LEAVES // 2, LEAVES - 1, LEAVES])
def test_a_hub_of_many_leaves_equals_sums_of_logarithms(large_hub: tuple[BayesianNetwork, JunctionTree], shown) -> None:
    net, tree = large_hub
    rng = np.random.default_rng(shown)
    evidence = {f"x{i}": int(rng.integers(3)) for i in rng.permutation(LEAVES)[:shown]}
    classes, log_probability = classes_given(net, evidence)
    found = tree.posterior(evidence)
    assert found.log_probability == pytest.approx(log_probability, rel=1e-12, abs=1e-12)
    assert tree.log_probability(evidence) == found.log_probability
    assert found.marginals["C"] == pytest.approx(classes, abs=1e-12)
    assert marginal(net, "C", evidence) == pytest.approx(classes, abs=1e-12)
    hidden = [name for name in net.names[1:] if name not in evidence]
    for name in hidden:
        assert np.abs(found.marginals[name] - classes @ net.cpt(name)).max() < 1e-12
    for name in hidden[:2]:
        assert marginal(net, name, evidence) == pytest.approx(classes @ net.cpt(name), abs=1e-12)


def test_a_class_that_loses_at_first_may_win_at_the_end() -> None:
    """After half of the evidence, a class is less probable than another by a factor of 1e-5000."""
    first, second = np.array([[0.99, 0.01], [1e-4, 0.9999]]), np.array([[1e-4, 0.9999], [0.99, 0.01]])
    net = hub([0.25, 0.75], [first] * 1250 + [second] * 1250)
    evidence = dict.fromkeys(net.names[1:], 0)
    expected = [0.25, 0.75]
    assert marginal(net, "C", evidence) == pytest.approx(expected, rel=1e-12)
    found = JunctionTree(net).posterior(evidence)
    assert found.marginals["C"] == pytest.approx(expected, rel=1e-12)
    assert found.log_probability == pytest.approx(1250 * (log(0.99) + log(1e-4)), rel=1e-14)


def recursions(steps: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Forward and backward messages of a chain, shape (n, states), rows of sum 1; the log of each forward sum.

    Node i has the table ``steps[i]``, the first one the row ``steps[0, 0]``; `seen` is 0 at states that are excluded.
    """
    forward, backward, logs = np.empty(seen.shape), np.ones(seen.shape), []
    for i in range(len(seen)):
        message = (forward[i - 1] @ steps[i] if i else steps[0, 0]) * seen[i]
        logs.append(log(message.sum()))
        forward[i] = message / message.sum()
    for i in range(len(seen) - 2, -1, -1):
        message = steps[i + 1] @ (seen[i + 1] * backward[i + 1])
        backward[i] = message / message.sum()
    return forward, backward, logs


def test_a_long_chain_equals_the_forward_and_backward_recursions() -> None:
    n, rng = times(2_000, 50_000), np.random.default_rng(1)
    steps = rng.dirichlet(np.ones(2), (n, 2))
    names = [f"x{i}" for i in range(n)]
    dag = Dag(names, [(i - 1,) if i else () for i in range(n)])
    net = BayesianNetwork(dag, [Variable(name, (0, 1)) for name in names], [steps[0, 0], *steps[1:]])
    shown = {i: int(rng.integers(2)) for i in range(0, n - 1, 3)}
    evidence = {names[i]: k for i, k in shown.items()}
    seen = np.ones((n, 2))
    for i, k in shown.items():
        seen[i, 1 - k] = 0
    forward, backward, logs = recursions(steps, seen)
    expected = forward * backward
    expected /= expected.sum(axis=1, keepdims=True)
    found = JunctionTree(net).posterior(evidence)
    assert found.log_probability == pytest.approx(fsum(logs), rel=1e-12)
    assert np.abs(np.array(list(found.marginals.values())) - expected).max() < 1e-12
    assert marginal(net, names[-1], evidence) == pytest.approx(expected[-1], abs=1e-12)


def extreme_network(seed: int) -> BayesianNetwork:
    """Five nodes whose tables hold zeros, ones and numbers down to 1e-300."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 4, 5).tolist()
    parents = [sorted(rng.choice(i, min(i, int(rng.integers(0, 4))), replace=False).tolist()) for i in range(5)]
    cpts = []
    for i in range(5):
        shape = (*(arities[p] for p in parents[i]), arities[i])
        table = rng.random(shape) * 10.0 ** -rng.choice([0, 0, 100, 300], shape)
        table[rng.random(shape) < 0.25] = 0.0
        largest = rng.integers(arities[i], size=shape[:-1])
        np.put_along_axis(table, largest[..., None], 0.0, axis=-1)
        np.put_along_axis(table, largest[..., None], 1 - table.sum(axis=-1, keepdims=True).clip(0, 0.9), axis=-1)
        cpts.append(table / table.sum(axis=-1, keepdims=True))
    order = rng.permutation(5).tolist()  # a parent may come after its child
    at = {v: k for k, v in enumerate(order)}
    names = [f"v{k}" for k in range(5)]
    variables = [Variable(names[k], tuple(range(arities[v]))) for k, v in enumerate(order)]
    moved = []
    for v in order:
        ranks = np.argsort([at[p] for p in parents[v]]) if parents[v] else []
        moved.append(np.transpose(cpts[v], [*(int(r) for r in ranks), len(parents[v])]))
    return BayesianNetwork(Dag(names, [[at[p] for p in parents[v]] for v in order]), variables, moved)


def exact_joint(net: BayesianNetwork) -> np.ndarray:
    """Joint distribution in fractions, one axis a node."""
    joint = np.full(net.arities, Fraction(1), dtype=object)
    tables = [
        [Fraction(x) / sum(map(Fraction, row)) for row in cpt.reshape(-1, cpt.shape[-1]).tolist() for x in row]
        for cpt in net.cpts
    ]
    for configuration in np.ndindex(*net.arities):
        for i, parents in enumerate(net.dag.parents):
            cell = np.ravel_multi_index([configuration[v] for v in (*parents, i)], net.cpts[i].shape)
            joint[configuration] *= tables[i][int(cell)]
    return joint


@pytest.mark.parametrize("seed", range(40))
def test_networks_of_extreme_tables_equal_the_joint_in_fractions(seed: int) -> None:
    net, rng = extreme_network(seed), np.random.default_rng(seed)
    joint, tree = exact_joint(net), JunctionTree(net)
    for size in (0, 1, 2, 3, 3, 4, 4):
        chosen = rng.permutation(5).tolist()
        codes = {v: int(rng.integers(net.arities[v])) for v in chosen[:size]}
        evidence = {net.names[v]: k for v, k in codes.items()}
        cut = joint[tuple(slice(codes[v], codes[v] + 1) if v in codes else slice(None) for v in range(5))]
        total, asked = cut.sum(), sorted(chosen[size : size + 2])
        names = [net.names[v] for v in asked]
        if total == 0:
            for infer in (tree.posterior, lambda evidence, names=names: marginal(net, names, evidence)):
                with pytest.raises(ImpossibleEvidence) as refused:
                    infer(evidence)
                check_conflict(net, joint, refused.value.conflict)
            assert tree.log_probability(evidence) == -np.inf
            continue
        found = tree.posterior(evidence)
        expected_log = log(total) if total > 1e-300 else log(total.numerator) - log(total.denominator)
        assert found.log_probability == pytest.approx(expected_log, rel=1e-12, abs=1e-13)
        for v, name in enumerate(net.names):
            sums = cut.sum(axis=tuple(u for u in range(5) if u != v))
            if v in codes:
                assert found.marginals[name].tolist() == [float(k == codes[v]) for k in range(net.arities[v])]
            else:
                assert found.marginals[name] == pytest.approx([float(x / total) for x in sums], rel=1e-12, abs=1e-307)
        sums = cut.sum(axis=tuple(u for u in range(5) if u not in asked)) / total
        assert marginal(net, names, evidence) == pytest.approx(sums.astype(float), rel=1e-12, abs=1e-307)


def check_conflict(net: BayesianNetwork, joint: np.ndarray, conflict: dict[str, int]) -> None:
    """A conflict is impossible, and possible without any one of its parts."""
    assert conflict
    for left_out in (None, *conflict):
        codes = {net.names.index(name): k for name, k in conflict.items() if name != left_out}
        total = joint[tuple(codes.get(v, slice(None)) for v in range(5))]
        assert (np.sum(total) == 0) == (left_out is None)


def test_of_impossible_evidence_only_the_states_that_conflict_are_named() -> None:
    tables = [np.array([[0.3, 0.7], [0.4, 0.6]])] * LEAVES
    tables[500], tables[700] = np.array([[1.0, 0.0], [0.4, 0.6]]), np.array([[0.3, 0.7], [1.0, 0.0]])
    net = hub([0.5, 0.5], tables)
    evidence = dict.fromkeys(net.names[1:], 1)
    words = "x500 = 1 and x700 = 1 have probability 0 together in this network: remove one of them from the evidence."
    for infer in (JunctionTree(net).posterior, lambda shown: marginal(net, "C", shown)):
        with pytest.raises(ImpossibleEvidence) as refused:
            infer(evidence)
        assert str(refused.value) == words


def test_a_conflict_of_many_observations_is_named_by_ten() -> None:
    """A chain of disjunctions: the last one holds although none of its 100 causes does."""
    n = 100
    names = [*(f"cause{i}" for i in range(n)), *(f"any{i}" for i in range(n))]
    either = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    parents = [()] * n + [(0,), *((i, n + i - 1) for i in range(1, n))]
    cpts = [np.array([0.9, 0.1])] * n + [np.eye(2), *[either] * (n - 1)]
    net = BayesianNetwork(Dag(names, parents), [Variable(name, ("no", "yes")) for name in names], cpts)
    evidence = {**dict.fromkeys(names[:n], "no"), names[-1]: "yes"}
    for infer in (JunctionTree(net).posterior, lambda shown: marginal(net, names[-2], shown)):
        with pytest.raises(
            ImpossibleEvidence, match="cause9 = no and 91 more observations have probability"
        ) as refused:
            infer(evidence)
        assert refused.value.conflict == evidence
        assert str(refused.value).count(" = ") == 10
