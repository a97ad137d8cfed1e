"""Every reading of what the papers leave open is an option, and makes a difference that its description tells."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from bnlab import skeletons
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.skeletons import SuperStructure
from bnlab.skeletons.skeleton import SKELETONS

skeleton = partial(skeletons.skeleton, variant="paper")

READINGS = [
    ("opthpc", {"zero_order_first": True}),
    ("opthpc", {"sepset": "mb"}),
    ("opthpc", {"rule": "and"}),
    ("hpc", {"rule": "and"}),
    ("mmpc", {"rule": "or"}),
    ("mmpc", {"use_symmetry": True}),
    ("getpc", {"rule": "or"}),
    *(
        (algorithm, options)
        for algorithm in SKELETONS
        for options in ({"df": "plain"}, {"rows_per_cell": 10}, {"unreliable": "skip"})
    ),
]


@pytest.fixture(scope="module")
def sample(alarm5k) -> Table:
    return alarm5k.head(500)


@pytest.fixture(scope="module")
def as_published(sample) -> dict[str, SuperStructure]:
    return {algorithm: skeleton(sample, algorithm) for algorithm in SKELETONS}


@pytest.mark.parametrize(("algorithm", "options"), READINGS)
def test_every_reading_makes_a_difference_in_edges_or_calls(sample, as_published, algorithm, options):
    default, other = as_published[algorithm], skeleton(sample, algorithm, **options)
    assert (other.pairs, other.nsc) != (default.pairs, default.nsc)


@pytest.mark.parametrize("algorithm", ["opthpc", "hpc", "mmpc", "getpc"])
def test_one_way_joins_all_that_both_ways_joins_and_more_at_no_further_call(sample, algorithm):
    either, both = (skeleton(sample, algorithm, rule=rule) for rule in ("or", "and"))
    assert either.pairs > both.pairs
    assert either.nsc == both.nsc


def test_order_0_first_spares_calls(sample, as_published):
    first = skeleton(sample, "opthpc", zero_order_first=True)
    assert first.nsc < 0.8 * as_published["opthpc"].nsc < 0.8 * as_published["hpc"].nsc


@pytest.mark.parametrize("algorithm", ["opthpc", "mmpc"])
def test_many_threads_find_what_one_finds_on_thousands_of_rows(alarm5k, algorithm):
    one, four = (skeleton(MemorySource(alarm5k, threads=threads), algorithm) for threads in (1, 4))
    assert one == four


@pytest.mark.parametrize("algorithm", SKELETONS)
def test_more_variables_than_rows_are_no_obstacle(algorithm):
    rng = np.random.default_rng(6)
    first = rng.integers(0, 2, 40)
    columns = [first, first ^ (rng.random(40) < 0.1), *rng.integers(0, 2, (58, 40))]
    table = Table([Variable(f"v{i}", (0, 1)) for i in range(60)], columns)
    graph = skeleton(table, algorithm, alpha=0.001)
    assert ("v0", "v1") in graph.edges
    assert graph.nsc > 0


@pytest.mark.parametrize("algorithm", SKELETONS)
def test_a_variable_of_one_state_stays_alone(algorithm):
    x = np.arange(100) % 2
    table = Table([Variable("one", (0,)), Variable("X", (0, 1)), Variable("Y", (0, 1))], [0 * x, x, 1 - x])
    assert skeleton(table, algorithm).edges == (("X", "Y"),)
