"""Learners on data: stopping and resuming, counts of calls, other people's results, and input that cannot be right."""

from __future__ import annotations

from functools import partial
from itertools import islice

import numpy as np
import pytest

import bnlab
from bnlab import skeletons
from bnlab.citests import DSeparation, G2Tester
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.data.mmhc import mmhc_graph, mmhc_sample
from bnlab.graphs import Dag, Pdag, compare
from bnlab.networks import asia, simple
from bnlab.papers.villanueva2012.reported import alarm5k_edges
from bnlab.search import iterate, run

make_search = partial(skeletons.make_search, variant="paper")
skeleton = partial(skeletons.skeleton, variant="paper")

CONFIGURATIONS = [
    ("opthpc", {}),
    ("opthpc", {"zero_order_first": True, "sepset": "mb"}),
    ("hpc", {}),
    ("mmpc", {}),
    ("mmpc", {"use_symmetry": True}),
    ("getpc", {}),
    ("heupc", {}),
    ("heupc", {"unreliable": "skip"}),
    ("opthpc", {"unreliable": "skip"}),
    ("opthpc", {"variant": "default"}),
    ("hpc", {"variant": "default"}),
]
ALGORITHMS = ("opthpc", "hpc", "mmpc", "getpc", "heupc")


def bits(columns: dict[str, np.ndarray]) -> Table:
    return Table([Variable(name, (0, 1)) for name in columns], list(columns.values()))


def edges_of(graph) -> set[frozenset[str]]:
    return set(map(frozenset, graph.edges))


@pytest.fixture(scope="module")
def sample() -> Table:
    return simple().sample(600, seed=5)


@pytest.mark.parametrize(("algorithm", "options"), CONFIGURATIONS)
def test_progress_counts_up_to_its_total(sample, algorithm, options):
    search = make_search(G2Tester(sample), algorithm, **options)
    steps = [info for _, info in iterate(search)]
    assert [info.done for info in steps] == list(range(1, len(steps) + 1))
    assert all(info.done <= info.total for info in steps)
    assert steps[-1].done == steps[-1].total
    if algorithm != "heupc":
        assert {info.total for info in steps} == {len(steps)}
    assert [info.nsc for info in steps] == sorted(info.nsc for info in steps)


def test_a_search_stopped_early_has_a_result(sample):
    for algorithm in ALGORITHMS:
        search = make_search(G2Tester(sample), algorithm)
        state, _ = next(islice(iterate(search), 2, None))
        assert 0 < search.result(state).nsc < run(search).nsc


def test_threads_memo_and_the_order_of_rows_change_nothing(sample):
    shuffled = sample.take(np.random.default_rng(0).permutation(sample.n_rows))
    shared = G2Tester(sample)
    for algorithm in ALGORITHMS:
        expected = skeleton(MemorySource(sample, threads=1), algorithm)
        assert skeleton(MemorySource(sample, threads=2), algorithm) == expected
        assert skeleton(shuffled, algorithm) == expected
        assert skeleton(G2Tester(sample, memo=0), algorithm) == expected
        assert skeleton(shared, algorithm) == skeleton(shared, algorithm) == expected


def test_mmpc_does_not_depend_on_the_order_of_columns(sample):
    expected = edges_of(skeleton(sample, "mmpc"))
    assert len(expected) > 3
    rng = np.random.default_rng(2)
    for _ in range(5):
        names = [sample.names[i] for i in rng.permutation(len(sample.names))]
        assert edges_of(skeleton(sample.select(names), "mmpc")) == expected


@pytest.mark.parametrize(("test", "options"), [("mi-adf", {}), ("mi", {"df": "plain", "rows_per_cell": 0})])
def test_mmpc_finds_the_edges_of_r_bnlearn(alarm5k, test, options):
    class TiedWhereItUnderflows:
        """R's p-values are 0 beyond 745 nats, and it then takes the first column."""

        def __init__(self, tester):
            self.names, self._tester = tester.names, tester

        def strength(self, x, y, z):
            return min(self._tester.strength(x, y, z), 745.0)

    found = skeleton(TiedWhereItUnderflows(G2Tester(alarm5k, **options)), "mmpc")
    assert edges_of(found) == alarm5k_edges("mmpc", test)


def test_hpc_finds_what_r_bnlearns_other_hpc_finds_and_little_more(alarm5k):
    extra = edges_of(skeleton(alarm5k, "hpc", rule="and")) ^ alarm5k_edges("hpc", "mi-adf")
    assert extra == {frozenset(("VENTLUNG", "VENTTUBE")), frozenset(("HRBP", "HRSAT"))}


@pytest.mark.needs_data
def test_calls_and_sensitivity_on_child_are_those_of_an_independent_implementation():
    expected = {
        ("hpc", ()): (3970, 3970, 1.0),
        ("opthpc", ()): (1650, 1650, 1.0),
        ("opthpc", (("zero_order_first", True),)): (1425, 1425, 1.0),
        ("mmpc", ()): (988, 988, 0.84),
        ("mmpc", (("use_symmetry", True),)): (798, 798, 0.85),
        ("getpc", ()): (8061, 1749, 0.84),
        ("heupc", ()): (799, 799, 0.80),
    }
    adjacency = mmhc_graph("Child")
    names = [f"X{i + 1}" for i in range(20)]
    true = Dag(names, [np.flatnonzero(column).tolist() for column in adjacency.T])
    samples = {rows: [mmhc_sample("Child", rows, v) for v in range(1, 6)] for rows in (500, 1000, 5000)}
    for (algorithm, options), (nsc, memoised, sensitivity) in expected.items():
        graphs = {rows: [skeleton(t, algorithm, **dict(options)) for t in tables] for rows, tables in samples.items()}
        everything = [graph for some in graphs.values() for graph in some]
        assert round(np.mean([graph.nsc for graph in everything])) == nsc
        assert round(np.mean([graph.nsc_memoised for graph in everything])) == memoised
        sn = np.mean([compare(graph.to_pdag(), true).sn for graph in graphs[5000]])
        assert sn == pytest.approx(sensitivity, abs=0.005)


def test_independent_columns_are_joined_about_as_often_as_alpha_says():
    rng = np.random.default_rng(4)
    table = bits({f"v{i}": rng.integers(0, 2, 1000) for i in range(30)})
    pairs = 30 * 29 / 2
    for alpha in (0.01, 0.05):
        found = len(skeleton(table, "heupc", alpha=alpha, max_order=0).pairs)
        assert abs(found - alpha * pairs) < 4 * np.sqrt(alpha * pairs)


def test_two_dependent_columns_are_joined_by_every_algorithm():
    x = np.arange(100) % 2
    for algorithm in ALGORITHMS:
        assert skeleton(bits({"X": x, "Y": x ^ (np.arange(100) % 10 == 0)}), algorithm).edges == (("X", "Y"),)


def test_opthpc_that_skips_tests_with_too_few_rows_finds_twice_the_edges_of_hailfinder():
    net = bnlab.load_network("hailfinder")
    rows = net.sample(500, seed=501)
    strict, cautious = (
        compare(skeleton(rows, "opthpc", unreliable=rule).to_pdag(), net.dag) for rule in ("independent", "skip")
    )
    assert strict.sn < 0.35 < 0.6 < cautious.sn
    assert cautious.sp > 1.5 * strict.sp


def test_skipping_what_has_too_few_rows_finds_more():
    small = simple().sample(120, seed=2)
    for algorithm in ("mmpc", "getpc", "heupc"):
        skipping, strict = (skeleton(small, algorithm, unreliable=rule) for rule in ("skip", "independent"))
        assert skipping.pairs > strict.pairs
        assert min(skipping.not_performed, strict.not_performed) > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_constant_column_stays_alone(sample, algorithm):
    columns = [sample.column(i) for i in range(3)]
    table = Table([*sample.variables[:3], Variable("one", (0, 1))], [*columns, np.zeros(600, np.uint8)])
    graph = skeleton(table, algorithm)
    assert not any("one" in edge for edge in graph.edges)
    assert graph.pairs == skeleton(sample.select(sample.names[:3]), algorithm).pairs


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_copied_column_is_joined_to_its_original_and_separates_it_from_the_rest(algorithm):
    rng = np.random.default_rng(8)
    x = rng.integers(0, 2, 2000)
    y, z = x ^ (rng.random(2000) < 0.2), x ^ (rng.random(2000) < 0.2)
    assert edges_of(skeleton(bits({"X": x, "Y": y, "Z": z}), algorithm)) == {frozenset("XY"), frozenset("XZ")}
    graph = skeleton(bits({"X": x, "Y": y, "Z": z, "copy": 1 - x}), algorithm)
    assert ("X", "copy") in graph.edges
    assert graph.separator("X", "Y") == ("copy",)
    assert graph.separator("copy", "Y") == ("X",)
    assert not {("X", "Y"), ("X", "Z")} & set(graph.edges)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_with_fewer_rows_than_a_test_needs_no_edge_is_found(algorithm):
    rng = np.random.default_rng(1)
    few = bits({f"v{i}": rng.integers(0, 2, 19) for i in range(30)})
    graph = skeleton(few, algorithm)
    assert (len(graph.pairs), graph.nsc) == (0, 0)
    assert graph.not_performed > 0
    assert skeleton(few, algorithm, rows_per_cell=1).nsc > 0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_input_that_cannot_be_right_is_refused(sample, algorithm):
    with pytest.raises(ValueError, match="two at least"):
        skeleton(sample.select(sample.names[:1]), algorithm)
    with pytest.raises(ValueError, match=r"alpha=1\.0"):
        skeleton(sample, algorithm, alpha=1.0)
    with pytest.raises(ValueError, match="max_order=-1"):
        skeleton(sample, algorithm, max_order=-1)
    with pytest.raises(ValueError, match="unreliable='trust'"):
        skeleton(sample, algorithm, unreliable="trust")
    with pytest.raises(ValueError, match="has no option 'maxorder': did you mean 'max_order'"):
        skeleton(sample, algorithm, maxorder=1)


def test_unknown_algorithms_and_rules_are_refused(sample):
    with pytest.raises(ValueError, match="did you mean 'opthpc'"):
        skeleton(sample, "optpc")
    with pytest.raises(ValueError, match="'or', 'and'"):
        skeleton(sample, "hpc", rule="xor")
    with pytest.raises(ValueError, match="'pc' or 'mb'"):
        skeleton(sample, "opthpc", sepset="sp")
    with pytest.raises(ValueError, match="belong to the tester"):
        skeleton(G2Tester(sample), alpha=0.01)


def test_the_front_door_tells_the_tests_that_decided():
    net = asia()
    graph = bnlab.skeleton(net.sample(20_000, seed=1), "opthpc", alpha=0.01)
    assert ("smoke", "bronc") in graph.edges
    assert 0 <= graph.p_value("bronc", "smoke") <= 0.01
    assert graph.strength("smoke", "bronc") == pytest.approx(-np.log(graph.p_value("smoke", "bronc")), rel=1e-6) or (
        graph.p_value("smoke", "bronc") == 0
    )
    tester = G2Tester(net.sample(20_000, seed=1), 0.01)
    for a, b in graph.edges:
        record = tester.test(a, b, graph.given(a, b))
        assert record.dependent
        assert -record.outcome.log_p == pytest.approx(graph.strength(a, b))
    assert graph.separator("asia", "smoke") == ()
    assert graph.given("asia", "smoke") is None or graph.strength("asia", "smoke") > -np.log(0.01)
    assert isinstance(graph.to_pdag(), Pdag)
    assert compare(graph.to_pdag(), net.dag).tp >= 5
    assert "smoke - bronc" in repr(graph)
    with pytest.raises(ValueError, match="did you mean 'smoke'"):
        graph.separator("smok", "lung")
    with pytest.raises(ValueError, match="two different nodes"):
        graph.separator("asia", "asia")


def test_a_true_graph_takes_the_place_of_data():
    net = asia()
    assert compare(bnlab.skeleton(DSeparation(net.dag), "hpc").to_pdag(), net.dag).sn == 1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_search_takes_data_or_a_tester_and_ends_alike(sample, algorithm):
    expected = run(make_search(G2Tester(sample, 0.01, df="plain", rows_per_cell=3.0), algorithm))
    assert run(make_search(sample, algorithm.upper(), alpha=0.01, df="plain", rows_per_cell=3.0)) == expected
    assert run(make_search(sample.to_pandas(), algorithm, alpha=0.01, df="plain", rows_per_cell=3.0)) == expected
    with pytest.raises(ValueError, match="belong to the tester"):
        make_search(G2Tester(sample), algorithm, alpha=0.01)


def test_a_data_frame_with_the_names_of_a_tester_is_a_data_frame():
    frame = bits({"strength": np.arange(100) % 2, "names": np.arange(100) // 50}).to_pandas()
    assert skeleton(frame).names == ("strength", "names")
