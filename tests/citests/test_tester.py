"""Strengths of dependence on data, and the counting of calls."""

from __future__ import annotations

import copy
import pickle
from itertools import combinations, islice

import numpy as np
import pytest

from bnlab.citests import NOT_PERFORMED, Calls, Dep, G2Tester, g2
from bnlab.citests.tester import Ledger
from bnlab.counts.chunked import ChunkedSource
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable
from bnlab.networks import simple


def table_of(columns: dict[str, list[int]], arity: int = 2) -> Table:
    return Table([Variable(name, tuple(range(arity))) for name in columns], list(columns.values()))


def questions(n: int, depth: int) -> list[tuple[int, int, tuple[int, ...]]]:
    pairs = list(combinations(range(n), 2))
    return [
        (x, y, z) for x, y in pairs for k in range(depth + 1) for z in combinations(sorted({*range(n)} - {x, y}), k)
    ]


@pytest.fixture(scope="module")
def sample() -> Table:
    return simple().sample(700, seed=3)


def test_a_strength_is_minus_ln_p_of_the_table_at_hand(sample):
    tester = G2Tester(sample, alpha=0.2, rows_per_cell=0)
    frame = sample.to_pandas()
    for x, y, z in questions(4, 2):
        names = [frame.columns[v] for v in (*z, x, y)]
        shape = [sample.arities[v] for v in (*z, x, y)]
        counted = np.zeros(shape, dtype=int)
        np.add.at(counted, tuple(frame[name].cat.codes.to_numpy() for name in names), 1)
        outcome = g2(counted)
        assert tester.strength(x, y, z) == (-outcome.log_p if outcome.p_value <= 0.2 else 0)


@pytest.mark.parametrize("options", [{}, {"df": "plain"}, {"rows_per_cell": 0, "alpha": 0.5}])
def test_every_source_memo_and_number_of_threads_gives_the_same_strengths(sample, options):
    chunks = [sample.take(range(250)), sample.take(range(250, 700))]
    testers = [
        G2Tester(MemorySource(sample, threads=1), **options),
        G2Tester(MemorySource(sample, threads=3), memo=0, **options),
        G2Tester(ChunkedSource(lambda: chunks), **options),
    ]
    asked = questions(len(sample.names), 3)
    answers = [[tester.strength(*question) for question in asked] for tester in testers]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0] == [testers[0].strength(y, x, z) for x, y, z in reversed(asked)][::-1]
    assert any(answers[0])


@pytest.mark.parametrize(
    "options", [{}, {"df": "plain", "rows_per_cell": 0}, {"rows_per_cell": 0.5}, {"few_rows": "dependence"}]
)
def test_a_strength_agrees_with_the_full_test_however_its_table_is_counted(options):
    rng = np.random.default_rng(0)
    base = rng.integers(0, 4, 900)
    arities = (2, 3, 20, 17, 4, 5, 2)
    table = Table.from_codes(
        [(base * rng.integers(1, 3, 900) + rng.integers(0, r, 900)) % r for r in arities],
        [Variable(f"v{i}", tuple(range(r))) for i, r in enumerate(arities)],
    )
    tester = G2Tester(table, alpha=0.5, **options)
    kinds = set()
    for x, y, z in questions(7, 4):
        told = tester.test(table.names[x], table.names[y], [table.names[v] for v in z])
        kinds.add((told.performed, told.dependent))
        if options.get("few_rows") and z and not told.dependent:
            continue  # whether it separates is another question
        expected = (-told.outcome.log_p if told.dependent else 0.0) if told.performed else NOT_PERFORMED
        assert tester.strength(x, y, z) == pytest.approx(expected, rel=1e-12)
    assert {(True, True), (True, False)} <= kinds


def test_tables_that_have_no_bitmaps_are_tested_too():
    rng = np.random.default_rng(0)
    states = tuple(range(20))
    wide = Table.from_codes(list(rng.integers(0, 20, (3, 400))), [Variable(name, states) for name in "xyz"])
    tester = G2Tester(wide, alpha=0.99, rows_per_cell=0)
    assert tester.strength(0, 1, (2,)) == pytest.approx(-tester.test("x", "y", "z").outcome.log_p, rel=1e-12)


def test_tables_far_larger_than_the_data_keep_only_strata_that_occur(sample):
    dense, sparse = G2Tester(sample, rows_per_cell=0), G2Tester(ChunkedSource(lambda: [sample]), rows_per_cell=0)
    for x, y, z in questions(5, 3):
        assert sparse.strength(x, y, z) == dense.strength(x, y, z)
    wide = table_of({f"v{i}": [i % 3 == 0, i % 2, 1, 0] * 10 for i in range(40)})
    assert G2Tester(wide, rows_per_cell=0).strength(0, 1, tuple(range(2, 40))) == 0


def test_what_is_too_small_is_not_performed():
    tester = G2Tester(table_of({"X": [0, 1] * 10, "Y": [0, 1] * 10, "Z": [0, 1, 1, 0] * 5}))
    assert tester.strength(0, 1, ()) > 0
    assert tester.strength(0, 1, (2,)) == NOT_PERFORMED
    assert not tester.test("X", "Y", ["Z"]).performed
    assert G2Tester(tester.source, rows_per_cell=2.5).strength(0, 1, (2,)) > 0


def test_the_three_strata_of_the_worked_example_are_too_few_rows():
    counts = {(0, 0, 0): 10, (0, 0, 1): 5, (0, 1, 0): 3, (0, 1, 1): 12, (1, 1, 0): 4, (1, 1, 1): 6}
    counts |= {(2, 0, 0): 7, (2, 0, 1): 1, (2, 1, 0): 2, (2, 1, 1): 8}
    rows = np.array([cell for cell, count in counts.items() for _ in range(count)])
    variables = [Variable("Z", (0, 1, 2)), Variable("X", (0, 1)), Variable("Y", (0, 1))]
    record = G2Tester(Table.from_codes(rows, variables)).test("X", "Y", ["Z"])
    assert record.outcome.statistic == pytest.approx(15.863335602119)
    assert not record.performed
    assert not record.dependent
    assert record.table.tolist() == [[[10, 5], [3, 12]], [[0, 0], [4, 6]], [[7, 1], [2, 8]]]


def test_the_rows_order_and_the_columns_order_change_no_strength(sample):
    shuffled = sample.take(np.random.default_rng(1).permutation(700))
    names = sample.names[::-1]
    turned = G2Tester(sample.select(names))
    straight, mixed = G2Tester(sample), G2Tester(shuffled)
    last = len(names) - 1
    for x, y, z in questions(len(names), 2):
        expected = straight.strength(x, y, z)
        assert mixed.strength(x, y, z) == expected
        assert turned.strength(last - x, last - y, tuple(sorted(last - v for v in z))) == pytest.approx(expected)


@pytest.mark.parametrize("df", ["adjusted", "plain"])
def test_the_degrees_of_freedom_are_those_of_the_rule_also_given_nothing(df):
    columns = {"x": [0, 0, 1, 1] * 20, "y": [0, 0, 1, 0] * 20, "z": [0, 1] * 40}
    tester = G2Tester(table_of(columns, arity=3), df=df, rows_per_cell=0)
    for z in ((), ("z",)):
        test = tester.test("x", "y", z)
        assert tester.strength(0, 1, (2,) if z else ()) == pytest.approx(-test.outcome.log_p, rel=1e-12)
        assert test.outcome.df == {"adjusted": 1, "plain": 12 if z else 4}[df]


def test_underflowing_p_values_stay_in_order():
    x = np.repeat([0, 1], 2500)
    y, z = x.copy(), x.copy()
    y[:40] = 1
    z[:20] = 1
    tester = G2Tester(table_of({"X": x, "Y": y, "Z": z}))
    assert tester.test("X", "Y").outcome.p_value == tester.test("X", "Z").outcome.p_value == 0
    assert 745 < tester.strength(0, 1, ()) < tester.strength(0, 2, ()) < np.inf


def test_calls_are_counted_by_whether_they_are_performed():
    tester = G2Tester(table_of({"X": [0, 1] * 10, "Y": [0, 1] * 10, "Z": [0, 1, 1, 0] * 5}))
    dep = Dep(tester, Calls())
    assert dep(0, 1) == dep(1, 0) > 0
    assert dep(0, 1, (2,)) == 0
    assert (dep.calls.nsc, dep.calls.not_performed) == (2, 1)
    skipping = Dep(tester, Calls(), unreliable="skip")
    assert skipping(0, 1, (2,)) == NOT_PERFORMED
    assert skipping.calls.separators == skipping.calls.weakest == {}


def test_what_an_algorithm_remembers_is_no_call(sample):
    remembering, forgetting = Dep(G2Tester(sample), Calls(), remember_below=2), Dep(G2Tester(sample), Calls())
    for z in ((), (3,), (3, 4), (4, 3)):
        for _ in range(3):
            assert remembering(0, 1, z) == remembering(1, 0, z) == forgetting(0, 1, z)
    assert remembering.calls.nsc == 1 + 1 + 6 + 6
    assert forgetting.calls.nsc == 12


def test_the_smallest_separator_and_the_weakest_dependence_are_noted():
    class Scripted:
        names = ("a", "b", "c", "d")
        answers = {(): 5.0, (2, 3): 0.0, (2,): 0.0, (3,): 2.0}  # noqa: RUF012

        def strength(self, x, y, z):
            return self.answers[z]

    dep = Dep(Scripted(), Calls())
    for z in ((), (3, 2), (3,), (2,), (3, 2)):
        dep(1, 0, z)
    assert dep.calls.separators == {(0, 1): (2,)}
    assert dep.calls.weakest == {(0, 1): (2.0, (3,))}
    copied = dep.calls.copy()
    dep(2, 0, (3,))
    assert (copied.nsc, len(copied.weakest)) == (5, 1)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 1.5, float("nan"), "0.05", None])
def test_a_level_outside_0_and_1_is_refused(sample, alpha):
    with pytest.raises(ValueError, match="between 0 and 1"):
        G2Tester(sample, alpha)


def test_unknown_rules_and_names_are_refused(sample):
    with pytest.raises(ValueError, match="'adjusted', 'plain'"):
        G2Tester(sample, df="adjust")
    with pytest.raises(ValueError, match="rows_per_cell=-1"):
        G2Tester(sample, rows_per_cell=-1)
    with pytest.raises(ValueError, match="'independent', 'skip'"):
        Dep(G2Tester(sample), Calls(), unreliable="guess")
    with pytest.raises(ValueError, match="did you mean 'Rain'"):
        G2Tester(sample).test("Rainn", "Late")
    with pytest.raises(ValueError, match="named twice"):
        G2Tester(sample).test("Rain", "Late", ["Rain"])
    with pytest.raises(TypeError, match=r"type list: a Table or a DataFrame is needed"):
        G2Tester([["yes", "no"]])


@pytest.mark.parametrize(("x", "y", "z"), [(0, 9, (1,)), (-1, 1, (2,)), (0, 1, (9,)), (0, 1, (-3, 2))])
def test_a_variable_that_does_not_exist_is_refused_before_its_rows_are_read(sample, x, y, z):
    """Compiled code would read memory beyond the table."""
    with pytest.raises(ValueError, match=r"the variables are 0\.\."):
        G2Tester(sample).strength(x, y, z)


def test_copies_go_separate_ways_whichever_is_written_to_first():
    ledger = Ledger({"a": 1})
    first, second = ledger.copy(), ledger.copy()
    first["b"] = 2
    second["b"] = 3
    second["a"] = 0
    assert (ledger, first, second) == ({"a": 1}, {"a": 1, "b": 2}, {"a": 0, "b": 3})
    ledger["c"] = 4
    assert (ledger, first, second) == ({"a": 1, "c": 4}, {"a": 1, "b": 2}, {"a": 0, "b": 3})


def test_it_behaves_as_dictionaries_do_under_any_order_of_writes_copies_and_looks():
    rng = np.random.default_rng(1)
    pairs = [(Ledger(), {})]
    for _ in range(3000):
        ledger, plain = pairs[rng.integers(len(pairs))]
        key, value = int(rng.integers(20)), int(rng.integers(1000))
        action = rng.integers(4)
        if action == 0:
            pairs.append((ledger.copy(), plain.copy()))
        elif action == 1:
            ledger[key] = value
            plain[key] = value
        elif action == 2:
            assert ledger.get(key) == plain.get(key)
        else:
            assert (len(ledger), key in ledger, list(ledger)) == (len(plain), key in plain, list(plain))
    assert len(pairs) > 100
    assert all(ledger == plain for ledger, plain in pairs)


def test_it_pickles_and_copies_deeply_as_it_is_and_not_as_its_copies_are():
    ledger = Ledger({1: "one"})
    later = ledger.copy()
    later[2] = "two"
    for same in (pickle.loads(pickle.dumps(ledger)), copy.deepcopy(ledger)):
        assert same == ledger == {1: "one"}
        assert isinstance(same, Ledger)
    assert repr(later) == "Ledger({1: 'one', 2: 'two'})"


def test_a_look_into_an_older_one_may_be_cut_through_by_a_write():
    older = Ledger({i: i for i in range(10)})
    newer = older.copy()
    entries = iter(older.items())
    seen = list(islice(entries, 5))
    newer[10] = 10
    assert dict([*seen, *entries]) == {i: i for i in range(10)}
