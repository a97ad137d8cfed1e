"""The reproduction of Carvalho and Oliveira 2007, Table 1: structures, hits, and what is made of the records."""

from math import factorial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bnlab.classifiers import TAN, CkG, NaiveBayes
from bnlab.data import Table, Variable, five_fold
from bnlab.data.load import load_frame
from bnlab.learners.consistent import count_consistent_k_graphs
from bnlab.papers import carvalho2007 as paper
from bnlab.papers.carvalho2007.cell import hits, model_structure, scored, total
from bnlab.papers.carvalho2007.classes import consistent, is_polytree, is_tree
from bnlab.papers.carvalho2007.reported import sizes as carvalho2007_sizes
from bnlab.papers.carvalho2007.reported import table1 as carvalho2007_table1
from bnlab.papers.carvalho2009.rows import Fold
from bnlab.search import iterate

STORED = Path(__file__).parents[3] / "notebooks" / "results" / "carvalho2007"


@pytest.fixture(scope="module")
def table():
    """Rows of five attributes that depend on each other and on the class."""
    draw = np.random.default_rng(7)
    c = draw.integers(3, size=240)
    columns, arities = [], (2, 3, 4, 3, 2)
    for i, r in enumerate(arities):
        before = columns[i - 1] + columns[i - 2] if i > 1 else c
        columns.append(np.where(draw.random(240) < 0.7, (c + before) % r, draw.integers(r, size=240)))
    variables = [Variable(f"x{i}", tuple(range(r))) for i, r in enumerate(arities)]
    return Table([*variables, Variable("class", ("a", "b", "c"))], [*columns, c], target="class")


@pytest.fixture(scope="module")
def fold(table):
    codes = np.stack([table.column(i) for i in range(table.n_variables)]).astype(np.int64)
    [(train, test), *_] = five_fold(table.n_rows, seed=3)
    return Fold(table.take(train), codes[:-1, test], codes[-1, test])


def printed_records(shift=0.0, seeds=(0, 1)):
    """Records whose accuracies are those of the printed table."""
    printed = carvalho2007_table1()[["dataset", "classifier", "accuracy"]]
    parts = [
        printed.assign(protocol="as printed", seed=seed, accuracy=printed.accuracy / 100 + shift) for seed in seeds
    ]
    return pd.concat(parts)


@pytest.mark.parametrize("score", ["LL", "BIC/MDL"])
def test_hits_are_those_of_the_public_classifiers(table, fold, score):
    phi, n = scored(fold.train, score)
    structures = paper.learned_structures(phi, n)
    frame = fold.train.to_pandas()
    X, y = frame.drop(columns="class"), frame["class"]
    tested = Table(table.variables, [*fold.codes, fold.labels]).to_pandas()
    name = {"LL": "ll", "BIC/MDL": "mdl"}[score]
    options = {"smoothing": 5, "ties": "prior"}
    models = {"NB": NaiveBayes(**options), "TAN": TAN(name, **options), "C2G": CkG(2, name, **options)}
    for classifier, model in models.items():
        right = (model.fit(X, y).predict(tested.drop(columns="class")) == tested["class"].astype(str)).sum()
        assert hits(phi, structures[classifier], fold, paper.AS_PRINTED) == right


def test_refinement_never_scores_below_the_branching_nor_larger_classes_below_smaller(fold):
    phi, n = scored(fold.train, "LL")
    scores = {model: total(phi, model_structure(phi, n, model)) for model in paper.SWEEP}
    by_k = [scores[f"path {k}"] for k in range(5)]
    assert by_k == sorted(by_k)
    assert scores["path 2"] > total(phi, paper.learned_structures(phi, n)["TAN"])
    assert all(scores[f"bfs {k}"] >= scores[f"path {k}"] for k in (1, 2, 3))


def test_changes_of_edges_are_classes_of_the_drawn_graph(fold):
    phi, n = scored(fold.train, "LL")
    structures = paper.learned_structures(phi, n)
    found = paper.Refinement.of(fold.train, structures)
    counted = pd.Series(found.kinds).value_counts().to_dict()
    changes = paper.edge_changes(structures["TAN"], structures["C2G"])
    assert counted == {name: number for name, number in changes.items() if number}
    assert set(found.both.edges) == set(found.kinds)


def test_the_refinement_of_a_data_set_has_the_edges_of_the_tan_and_of_c2g(shared_data):
    found = paper.refinement("iris")
    edges = {(parent, child) for child, of in enumerate(found.structures["C2G"]) for parent in of}
    assert found.branching.parents == found.structures["TAN"]
    assert len(edges) == sum(kind != "dropped" for kind in found.kinds.values())
    assert set(found.branching.edges) == {edge for edge, kind in found.kinds.items() if kind != "added"}


def test_class_sizes_agree_with_known_sequences():
    sizes = paper.class_sizes(((), (0,), (1,), (2,)))
    assert sizes["trees"] == 4**3
    assert sizes["all acyclic graphs"] == 543
    assert sizes["consistent"] == 1 * 2 * 4 * 7
    assert sizes["consistent trees"] == factorial(3)


def test_bound_of_proposition_3_3_holds_for_every_tree_and_is_reached_by_stars_only():
    n = 4
    for tree in paper.rooted_trees(n):
        inside = [graph for graph in paper.all_dags(n) if consistent(graph, tree, 2)]
        others = sum(not is_tree(graph) for graph in inside)
        is_star = max(sum((v,) == of for of in tree) for v in range(n)) == n - 1
        assert len(inside) == count_consistent_k_graphs(tree, 2)
        assert others >= 2 ** (n - 1) - 1
        assert (others == 2 ** (n - 1) - 1) == is_star


def test_polytrees_have_no_cycle_in_their_skeleton():
    assert is_polytree(((), (), (0, 1)))
    assert not is_polytree(((), (0,), (0, 1)))
    with pytest.raises(ValueError, match="n=6: graphs are enumerated for 1 to 5 nodes"):
        list(paper.all_dags(6))


def test_records_equal_to_the_printed_numbers_are_inside():
    table1 = paper.table1(printed_records())
    assert len(table1) == 42
    assert table1.inside.all()
    assert table1.in_central_95.all()
    assert not paper.table1(printed_records(shift=-0.05)).inside.any()


def test_chess_was_tested_on_1070_rows():
    assert (paper.printed_hits(1066).query("dataset == 'chess'").printed == "neither").all()
    assert (paper.printed_hits(1070).query("dataset == 'chess'").printed == "rounded").all()


def test_naive_bayes_is_not_smoothed_under_the_protocol_as_printed_and_the_others_are():
    records = paper.records_frame(STORED / "table1.jsonl").query("dataset == 'lymphography'")
    accuracy = {name: of.groupby("classifier").accuracy for name, of in records.groupby("protocol")}
    assert accuracy["as printed"].median()["NB"] + 0.02 < accuracy["honest"].median()["NB"]
    of_board = records[records.protocol == "as printed"]
    raw = of_board.classifier == "NB"
    assert (of_board.accuracy == of_board.unsmoothed.where(raw, of_board.smoothed)).all()


def test_the_published_sizes_are_those_of_the_files(shared_data):
    sizes = carvalho2007_sizes().set_index("dataset")
    for name in ("segment", "iris", "letter"):
        frame = load_frame(name)
        assert sizes.loc[name, ["attributes", "classes"]].tolist() == [frame.shape[1] - 1, frame["class"].nunique()]


def test_paired_test_counts_wins_and_ignores_equal_columns():
    frame = pd.DataFrame({"a": [3.0, 2.0, 1.0, 5.0], "b": [1.0, 2.0, 2.0, 4.0]})
    result = paper.paired(frame, "a", "b")
    assert (result["wins"], result["ties"], result["losses"]) == (2, 1, 1)
    assert paper.paired(frame, "a", "a")["p"] == 1.0


def test_bayesian_signed_rank_is_symmetric_and_knows_a_tie():
    differences = np.array([2.0, -1.0, 3.0, 0.5, 2.5])
    there, back = (paper.bayesian_signed_rank(sign * differences, 1.0) for sign in (1, -1))
    assert there["better"] == pytest.approx(back["worse"])
    assert sum(there.values()) == pytest.approx(1)
    assert paper.bayesian_signed_rank(np.zeros(10), 0.1)["same"] == 1.0


def test_a_rank_is_shared_by_equal_accuracies():
    frame = pd.DataFrame({"NB": [90.0, 80.0], "TAN": [90.0, 85.0], "C2G": [91.0, 86.0]})
    assert paper.mean_ranks(frame).to_dict() == {"NB": 2.75, "TAN": 2.25, "C2G": 1.0}


def test_stored_records_are_whole_and_theorem_3_2_holds_in_each():
    records = paper.records_frame(STORED / "table1.jsonl")
    seeds = records[records.protocol == "as printed"].groupby("dataset").seed.nunique()
    assert seeds.drop(["letter", "satimage"]).min() >= 50
    assert (records[records.protocol == "as printed, drawn"].groupby("dataset").seed.nunique() == 50).all()
    assert set(seeds.index) == set(paper.DATASETS)
    assert (records.least_gain >= 0).all()
    sweep = paper.sweep_frame(STORED / "sweep.jsonl")
    assert (sweep.seed == 0).sum() == len(paper.DATASETS) * len(paper.SWEEP)


@pytest.mark.needs_data
def test_a_rerun_gives_the_stored_record(shared_data):
    stored = paper.records_frame(STORED / "table1.jsonl").query("dataset == 'iris' and seed == 0")
    experiment = paper.grid([paper.AS_PRINTED, paper.HONEST], datasets=["iris"])
    fresh = paper.records_frame([record for _, record in iterate(experiment)])
    both = fresh.merge(stored, on=["dataset", "protocol", "seed", "classifier"])
    assert len(both) == 6
    assert (both.hits_x == both.hits_y).all()
    assert both.least_gain_x.to_numpy() == pytest.approx(both.least_gain_y.to_numpy())
