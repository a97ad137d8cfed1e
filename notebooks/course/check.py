"""Exercises of the course: checks that say whether an answer is right, and never which one is, and their data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
from IPython.display import Markdown

import bnlab

ASIA, CANCER = bnlab.load_network("asia"), bnlab.load_network("cancer")
PATIENTS = ASIA.sample(20_000, seed=1)
GARDEN = bnlab.load_network("simple").sample(2000, seed=0)
INFORMATION = {  # hundredths of a nat
    ("A", "B"): 9,
    ("A", "C"): 8,
    ("B", "C"): 7,
    ("B", "D"): 2,
    ("C", "D"): 6,
    ("C", "E"): 1,
    ("D", "E"): 5,
    ("A", "E"): 4,
}
GAINS = np.array([[0, 4, 3, 1], [2, 0, 9, 3], [1, 8, 0, 5], [3, 2, 4, 0]])
"""[j, i] is the gain of the edge j -> i in nats; the nodes are A, B, C and D."""
RNG = np.random.default_rng(0)


def check(exercise: str, answer: Any) -> None:
    """Print whether an answer is right; an answer may be a function, which is then tried on random input."""
    test, hint = EXERCISES[exercise]
    try:
        right = None if answer is None else test(answer)
    except Exception as error:
        print(f"This answer cannot be checked ({type(error).__name__}: {error}). {hint}")
        return
    print("Not answered yet." if right is None else "Right." if right else f"Not yet. {hint}")


def probability(
    net: bnlab.BayesianNetwork, name: str, evidence: dict[str, str] | None = None, do: dict[str, str] | None = None
) -> float:
    """Probability of the first state of a variable: "yes" in asia, "True" in cancer."""
    return float(net.marginal(name, evidence, do=do)[0])


def explain(text: str) -> Markdown:
    """Show a text that is closed until the reader opens it."""
    return Markdown(f"<details><summary>Explain</summary>\n\n{text}\n\n</details>")


def near(value: float, tolerance: float) -> Callable[[float], bool]:
    """Whether an answer is a number near this one."""
    return lambda answer: abs(float(answer) - value) <= tolerance


def same(expected: Callable[..., float], inputs: list[Any]) -> Callable[[Callable[..., Any]], bool | None]:
    """Whether a function has these values; None while it returns None."""

    def test(function: Callable[..., Any]) -> bool | None:
        values = [function(value) for value in inputs]
        if any(value is None for value in values):
            return None
        return bool(np.allclose(np.array(values, float), [expected(value) for value in inputs], rtol=1e-6))

    return test


def tables(*shape: int) -> list[Any]:
    """Random tables of positive counts."""
    return [RNG.integers(1, 50, shape) for _ in range(5)]


def bic(counts: Any) -> float:
    """BIC of a family, in nats, from counts of shape (q, r)."""
    q, r = counts.shape
    likelihood = (counts * np.log(counts / counts.sum(1, keepdims=True))).sum()
    return float(likelihood - 0.5 * np.log(counts.sum()) * q * (r - 1))


def information(counts: Any) -> float:
    """Mutual information, in nats, from counts of pairs."""
    p = counts / counts.sum()
    return float((p * np.log(p / (p.sum(1, keepdims=True) * p.sum(0)))).sum())


def first_with_the_edge(sizes: tuple[int, ...]) -> int:
    """Number of first rows from which BIC prefers asia -> tub."""
    without = [edge for edge in ASIA.dag.edges if edge != ("asia", "tub")]
    scores = {n: [bnlab.score(g, PATIENTS.take(slice(n)), "bic") for g in (ASIA.dag, without)] for n in sizes}
    return next(n for n, (own, other) in scores.items() if own > other)


def heaviest_tree() -> int:
    """Weight of the tree of greatest information."""
    graph = nx.Graph([(*pair, {"weight": weight}) for pair, weight in INFORMATION.items()])
    return int(nx.maximum_spanning_tree(graph).size("weight"))


def best_branching() -> set[tuple[str, str]]:
    """Edges of the tree of greatest gain."""
    parents = bnlab.learners.optimal_branching(lambda child, above: float(sum(GAINS[u, child] for u in above)), 4)
    return {("ABCD"[u], "ABCD"[v]) for v, above in enumerate(parents) for u in above}


def reaches_the_optimum(options: dict[str, Any]) -> bool:
    """Whether hill climbing with these options finds the best BDeu network of the garden."""
    prior = {"score": "bdeu", "ess": 10}
    found = bnlab.learn(GARDEN, "hill-climbing", **prior, **options)
    best = bnlab.learn(GARDEN, "exact", **prior)
    return bool(bnlab.score(found, GARDEN, "bdeu", ess=10) > bnlab.score(best, GARDEN, "bdeu", ess=10) - 1e-6)


def number_of_dags(n: int) -> int:
    """Robinson's recurrence."""
    from math import comb

    return (
        1
        if n == 0
        else sum(-((-1) ** k) * comb(n, k) * 2 ** (k * (n - k)) * number_of_dags(n - k) for k in range(1, n + 1))
    )


def separates(answer: set[str]) -> bool:
    """Whether a set of two variables separates smoke and dysp."""
    place = ASIA.dag.index
    ends = sorted(map(place, ("smoke", "dysp")))
    tester = bnlab.citests.DSeparation(ASIA.dag)
    return len(answer) == 2 and tester.strength(*ends, tuple(sorted(map(place, answer)))) == 0


def directs(knowledge: bnlab.Knowledge) -> bool:
    """Whether smoke -> bronc is nearly certain under this knowledge, which requires no edge."""
    few = ASIA.sample(500, seed=2)
    return (
        not knowledge.required
        and bnlab.edge_probabilities(few, knowledge=knowledge).to_frame().loc["smoke", "bronc"] > 0.9
    )


def adjusts(answer: set[str]) -> bool:
    """Whether a smallest set of variables to adjust for was found."""
    return tuple(answer) in bnlab.graphs.adjustment_sets(ASIA, "bronc", "dysp")


EXERCISES: dict[str, tuple[Callable[[Any], bool | None], str]] = {
    "1.1": (near(probability(CANCER, "Cancer"), 2e-4), "Sum over the four pairs of states of both parents."),
    "1.2": (
        near(probability(CANCER, "Cancer", {"Xray": "positive"}), 5e-4),
        "Bayes: the share of the positive pictures that belong to patients with cancer.",
    ),
    "1.3": (lambda answer: set(answer) == {"xray"}, "Which paths to tub does either block, and which does it open?"),
    "2.1": (near(ASIA.n_parameters, 0), "Each row of each table has one free number, as its numbers sum to one."),
    "2.2": (same(bic, tables(3, 2) + tables(4, 3)), "Log-likelihood less half of ln N for each free parameter."),
    "2.3": (lambda answer: set(answer) == {"b", "d"}, "Compare edges without directions, and colliders."),
    "2.4": (
        lambda answer: answer == first_with_the_edge((100, 1000, 5000, 10_000, 20_000)),
        "Move the slider of the rows.",
    ),
    "3.1": (same(information, tables(2, 3)), "Sum of p ln(p / (p of the row times p of the column))."),
    "3.2": (near(heaviest_tree(), 0), "Take the heaviest pair that closes no cycle, again and again."),
    "3.3": (
        lambda answer: {tuple(edge) for edge in answer} == best_branching(),
        "Where the best edges close a cycle, one of them must go: which loses least, with what replaces it?",
    ),
    "4.1": (same(number_of_dags, list(range(1, 7))), "For three variables it is 25."),
    "4.2": (near(56, 0), "Nothing can be deleted or reversed yet, and no edge closes a cycle."),
    "4.3": (reaches_the_optimum, "A climb that ends too early can begin again elsewhere."),
    "5.1": (
        same(lambda counts: bnlab.citests.g2(counts).statistic, tables(2, 2) + tables(3, 2)),
        "2 N times a quantity of lesson 3.",
    ),
    "5.2": (separates, "Follow every path from smoke to dysp and block each."),
    "5.3": (
        lambda answer: {tuple(edge) for edge in answer} == set(bnlab.graphs.essential_graph(ASIA.dag).directed_edges),
        "Colliders first; then what would make a new collider, or a cycle, otherwise.",
    ),
    "6.1": (directs, "Say what comes before what: Knowledge(tiers=[...])."),
    "6.2": (adjusts, "Block every path that enters bronc, with no variable that bronc causes."),
    "6.3": (
        near(probability(ASIA, "dysp", do={"bronc": "yes"}), 5e-4),
        "Weight P(dysp | bronc, smoke) by P(smoke), not by P(smoke | bronc).",
    ),
}
"""Test and hint of each exercise."""
