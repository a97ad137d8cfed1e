"""The reproduction of Carvalho 2009, Table 2: choices, trees, hits, and tables of the records. No data are needed."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from bnlab.classifiers import TAN, NaiveBayes
from bnlab.counts.memory import MemorySource
from bnlab.data import Table, Variable, five_fold
from bnlab.learners.trees import tan
from bnlab.papers import carvalho2009 as paper
from bnlab.papers.base.metrics import cut_hits, rounded_hits
from bnlab.papers.carvalho2009.cell import edge_scores, fold_hits, structures
from bnlab.papers.carvalho2009.claims import MEASURES, printed_outcome
from bnlab.papers.carvalho2009.reported import claims as carvalho2009_claims
from bnlab.papers.carvalho2009.reported import table2 as carvalho2009_table2
from bnlab.papers.carvalho2009.rows import Fold, draw, without_unseen
from bnlab.scores import LocalScores


@pytest.fixture(scope="module")
def table():
    """Rows of five attributes of different arities that depend on each other and on the class."""
    draw = np.random.default_rng(5)
    c = draw.integers(3, size=240)
    columns, arities = [], (2, 3, 4, 3, 5)
    for i, r in enumerate(arities):
        before = columns[i - 1] if i else c
        columns.append(np.where(draw.random(240) < 0.6, (c + before) % r, draw.integers(r, size=240)))
    variables = [Variable(f"x{i}", tuple(range(r))) for i, r in enumerate(arities)]
    return Table([*variables, Variable("class", ("a", "b", "c"))], [*columns, c], target="class")


@pytest.fixture(scope="module")
def folds(table):
    codes = np.stack([table.column(i) for i in range(table.n_variables)]).astype(np.int64)
    return [Fold(table.take(a), codes[:-1, b], codes[-1, b]) for a, b in five_fold(table.n_rows, seed=3)[:2]]


@pytest.fixture(scope="module")
def learned(folds):
    return [(fold, edge_scores(MemorySource(fold.train))) for fold in folds]


def hits(learned, protocol):
    return sum(fold_hits(fold, edges, protocol, [0, k]) for k, (fold, edges) in enumerate(learned)).tolist()


def records_of(accuracies, seeds=(0,), protocol="as printed", n_test=10_000):
    """Records whose accuracies, in percent, are those of a published table."""
    return pd.DataFrame(
        [
            {**row, "protocol": protocol, "seed": seed, "n_test": n_test, "accuracy": row["accuracy"] / 100}
            for seed in seeds
            for row in accuracies[["dataset", "score", "accuracy"]].to_dict("records")
        ]
    )


def test_the_scores_and_data_sets_are_those_of_the_96_printed_cells():
    printed = carvalho2009_table2()
    assert len(printed) == 96
    assert tuple(printed.dataset.unique()) == paper.DATASETS
    assert tuple(printed.score.unique()) == tuple(paper.SCORES)


@pytest.mark.parametrize(("smoothing", "ties"), [("none", "first"), ("none", "prior"), (5.0, "first")])
def test_all_scores_at_once_get_the_hits_of_one_tan_after_the_other(folds, learned, smoothing, ties):
    protocol = paper.AS_PRINTED.but("mine", "", smoothing=smoothing, ties=ties)
    expected = []
    for score in paper.SCORES.values():
        total = 0
        for fold in folds:
            frame = fold.train.to_pandas()
            model = TAN(score, smoothing=smoothing, ties=ties).fit(frame.drop(columns="class"), frame["class"])
            test = pd.DataFrame(
                {
                    v.name: [v.states[k] for k in column]
                    for v, column in zip(fold.train.variables[:-1], fold.codes, strict=True)
                }
            )
            total += int((model.predict(test) == np.array(["a", "b", "c"])[fold.labels]).sum())
        expected.append(total)
    assert hits(learned, protocol) == expected


def test_no_tree_at_all_is_naive_bayes(folds, learned):
    frames = [(fold.train.to_pandas(), fold) for fold in folds]
    expected = sum(
        int((_predictions(NaiveBayes(smoothing=5.0), frame, fold) == fold.labels).sum()) for frame, fold in frames
    )
    assert hits(learned, paper.CANDIDATES["naive Bayes, 5 pseudo-rows"]) == [expected] * 8


def _predictions(model, frame, fold):
    model.fit(frame.drop(columns="class"), frame["class"])
    names = frame.columns.drop("class")
    return np.searchsorted(["a", "b", "c"], model.predict(pd.DataFrame(fold.codes.T, columns=names)))


def test_the_maximal_tree_is_that_of_the_learner(table):
    found = structures(edge_scores(MemorySource(table)), paper.AS_PRINTED, [0])
    for name, score in paper.SCORES.items():
        assert found[name] == tan(LocalScores(table, score), 6, 5)


@pytest.mark.parametrize("score", ["LL", "NML", "K2"])
def test_the_minimal_tree_has_the_least_gain_of_all_trees(table, score):
    edges = edge_scores(MemorySource(table))
    gain = edges[score].joined - edges[score].alone

    def weight(parents):
        return sum(gain[p, i] for i, p in enumerate(parents) if p is not None)

    least = min(weight(parents) for parents in product([*range(5), None], repeat=5) if _is_tree(parents))
    tree = structures(edges, paper.MINIMUM, [0])[score][:-1]
    assert weight([p[0] if len(p) == 2 else None for p in tree]) == pytest.approx(least)


def _is_tree(parents):
    if parents.count(None) != 1:
        return False
    for node in range(len(parents)):
        for _ in parents:
            node = parents[node] if node is not None else None
        if node is not None:
            return False
    return True


def test_reversed_arcs_give_each_attribute_its_children(table):
    edges = edge_scores(MemorySource(table))
    tree = structures(edges, paper.AS_PRINTED, [0])["LL"]
    turned = structures(edges, paper.CANDIDATES["reversed"], [0])["LL"]
    arcs = {(p, i) for i, parents in enumerate(tree) for p in parents if p != 5}
    assert {(i, p) for i, parents in enumerate(turned) for p in parents if p != 5} == arcs


def test_what_unseen_configurations_get_changes_no_prediction_of_an_unsmoothed_tree(learned):
    """Where class and parent never met, the parent's own factor is zero already."""
    expected = hits(learned, paper.AS_PRINTED)
    assert hits(learned, paper.CANDIDATES["unobserved: zero"]) == expected
    assert hits(learned, paper.CANDIDATES["unobserved: marginal"]) == expected


def test_random_trees_depend_on_the_seed_alone(table):
    edges = edge_scores(MemorySource(table))
    protocol = paper.CANDIDATES["random"]
    assert structures(edges, protocol, [1]) == structures(edges, protocol, [1])
    assert structures(edges, protocol, [1]) != structures(edges, protocol, [2])


def test_states_that_training_never_showed_have_no_code(table):
    train = table.take(table.column("x4") != 4)
    codes = np.stack([table.column(i) for i in range(table.n_variables)]).astype(np.int64)
    narrow, narrowed = without_unseen(train, codes)
    assert narrow.arities == (2, 3, 4, 3, 4, 3)
    assert ((narrowed[4] == -1) == (codes[4] == 4)).all()


def test_a_misspelt_choice_is_refused_with_the_right_one():
    with pytest.raises(ValueError, match=r"tree='minimun'.*minimum"):
        paper.AS_PRINTED.but("mine", "", tree="minimun")
    with pytest.raises(ValueError, match=r"no choice 'tie'.*ties"):
        paper.AS_PRINTED.but("mine", "", tie="first")
    with pytest.raises(ValueError, match=r"smoothing='lapalce'.*laplace"):
        paper.AS_PRINTED.but("mine", "", smoothing="lapalce")


def test_candidates_differ_from_each_other():
    choices = [tuple(protocol.choices().items()) for protocol in paper.CANDIDATES.values()]
    assert len(set(choices)) == len(choices) == len(paper.CANDIDATES)
    assert paper.MINIMUM.choices() == {**paper.AS_PRINTED.choices(), "tree": "minimum"}


def test_fixed_splits_run_once_and_drawn_ones_with_every_seed():
    experiment = paper.grid([paper.AS_PRINTED, paper.drawn(paper.AS_PRINTED)], range(3), datasets=["letter", "iris"])
    cells = [(cell["dataset"], cell["protocol"], cell["seed"]) for cell in experiment.cells]
    assert [c for c in cells if c[:2] == ("letter", "as printed")] == [("letter", "as printed", 0)]
    assert len([c for c in cells if c[:2] == ("letter", "as printed, drawn")]) == 3
    assert len([c for c in cells if c[0] == "iris"]) == 6


@pytest.mark.parametrize("n", [80, 230, 845, 1070, 5000])
def test_every_number_of_hits_is_recognised_from_its_percentage(n):
    for k in range(0, n + 1, 7):
        cents = 10_000 * k // n
        assert cut_hits(cents / 100, n) is not None
        assert rounded_hits(round(100 * k / n, 2), n) is not None
    if n < 5000:
        assert rounded_hits(round(100 * 70 / n, 2), n) == 70


@pytest.mark.parametrize(
    ("dataset", "n", "train", "test"),
    [
        ("letter", 20_000, 15_000, 5_000),
        ("satimage", 6_435, 4_435, 2_000),
        ("chess", 3_196, 2_130, 1_066),
        ("segment", 2_310, 1_540, 770),
        ("waveform", 5_000, 300, 4_700),
    ],
)
def test_as_many_rows_train_and_test_as_in_the_papers(dataset, n, train, test):
    [(learn, held_out)] = draw(dataset, paper.HONEST, pd.Series(range(n)), seed=1)
    assert (len(learn), len(held_out)) == (train, test)
    first_rows = dataset in ("letter", "satimage")
    assert np.array_equal(learn, np.arange(train)) == first_rows
    drawn = draw(dataset, paper.drawn(paper.HONEST), pd.Series(range(n)), seed=1)
    assert np.array_equal(drawn[0][0], learn) == (not first_rows)


@pytest.mark.parametrize(("dataset", "n", "tested"), [("vote", 232, 230), ("glass", 214, 210), ("vehicle", 846, 845)])
def test_cross_validation_tests_as_many_rows_as_in_the_papers(dataset, n, tested):
    splits = draw(dataset, paper.AS_PRINTED, pd.Series(range(n)), seed=0)
    assert [len(test) for _, test in splits] == [tested // 5] * 5


def test_all_accuracies_of_chess_are_whole_hits_of_1070_test_rows_and_of_no_other_number():
    rows = paper.chess_test_rows(500, 2000)
    assert rows[rows.cut_off == 8][["test_rows", "cut_off_2007"]].to_numpy().tolist() == [[1070, 3]]
    assert rows.rounded.max() < 8
    assert rows[rows.test_rows == 1066][["rounded", "cut_off"]].to_numpy().tolist() == [[0, 0]]


def test_four_printed_accuracies_are_no_whole_number_of_hits():
    hits = paper.whole_hits()
    odd = hits[hits.printed == "neither"]
    assert list(zip(odd.dataset, odd.score, strict=True)) == [
        ("letter", "BDeu(1)"),
        ("satimage", "K2"),
        ("satimage", "BDeu(1)"),
        ("soybean-large", "K2"),
    ]
    vote = hits[(hits.dataset == "vote") & (hits.score == "LL")].iloc[0]
    assert (vote.test_rows, vote.nearest) == (230, 212)


def test_records_equal_to_the_printed_numbers_are_all_inside():
    records = records_of(carvalho2009_table2(), seeds=(0, 1))
    table = paper.table2(records)
    assert len(table) == 96
    assert table.inside.all()
    assert table.in_central_95.all()
    assert table.difference.abs().max() < 1e-9
    best = paper.ranking(records).loc["as printed"]
    assert best[["explained", "expected"]].tolist() == [96, 96]
    assert best.same_order == pytest.approx(1)


def test_a_published_value_is_placed_among_the_seeds():
    printed = carvalho2009_table2()
    shifts = [-2.0, -1.0, 0.0, 1.0]
    parts = [records_of(printed.assign(accuracy=printed.accuracy + s), [k]) for k, s in enumerate(shifts)]
    row = paper.table2(pd.concat(parts)).iloc[0]
    assert (row.seeds, row.share_below) == (4, 0.75)
    assert row.difference == pytest.approx(-0.5)
    assert row.greatest - row.least == pytest.approx(3)


def test_every_claim_has_a_measure():
    assert carvalho2009_claims().key.tolist() == list(MEASURES)


def test_claims_judged_by_the_printed_table_agree_with_themselves():
    records = records_of(carvalho2009_table2(), seeds=(0, 1), n_test=10**9)
    judged = paper.claims(records, "as printed")
    assert len(judged) == len(MEASURES)
    by_value = judged[~judged.number.str.contains("interval")]
    assert (by_value.published == by_value.rerun).all()
    assert (by_value.verdict == "holds").all()


def test_claims_compare_intervals_of_one_level():
    judged = paper.claims(records_of(carvalho2009_table2(), seeds=(0, 1)), "as printed").set_index("number")
    assert judged.filter(like="share of the 336 pairs", axis=0).published.item() == 0.88
    as_printed, at_95 = (
        printed_outcome(bars).disjoint_pairs(paper.DATASETS, list(paper.SCORES)) for bars in (True, False)
    )
    assert round(float(1 - as_printed[0] / 336), 2) == 0.77
    assert at_95[0] < as_printed[0]


def test_claims_say_which_data_sets_are_missing():
    with pytest.raises(ValueError, match=r"'honest' lack the data sets letter.*as printed"):
        paper.claims(records_of(carvalho2009_table2()), "honest")


def test_five_printed_cells_are_significant_by_the_reports_own_rule():
    soybean, nml = paper.DATASETS.index("soybean-large"), list(paper.SCORES).index("NML")
    assert printed_outcome(as_printed=True).significant()[0, soybean, nml]
    cells = paper.significance()
    assert cells.as_printed.sum() == 5
    assert not cells[cells.score == "NML"].query("dataset == 'soybean-large'").at_95.item()
