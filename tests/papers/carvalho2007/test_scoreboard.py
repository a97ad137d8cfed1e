"""The 138 accuracies of the two papers on classifiers: verdicts and explanations from the stored records."""

from pathlib import Path

import pytest

from bnlab.papers import carvalho2007, carvalho2009
from bnlab.papers.base.experiment import Records
from bnlab.papers.carvalho2007 import scoreboard as scores
from bnlab.papers.carvalho2007.scoreboard_chart import scoreboard_figure
from bnlab.papers.experiments import experiment_of

RESULTS = Path(__file__).parents[3] / "notebooks/results"


@pytest.fixture(scope="module")
def candidates():
    return carvalho2009.records_frame(RESULTS / "carvalho2009/candidates.jsonl")


@pytest.fixture(scope="module")
def board():
    return scores.scoreboard(
        carvalho2007.records_frame(RESULTS / "carvalho2007/table1.jsonl"),
        carvalho2009.records_frame(RESULTS / "carvalho2009/table2.jsonl"),
    )


@pytest.fixture(scope="module")
def explained(board, candidates):
    return scores.explained(board, candidates)


def test_every_accuracy_has_three_verdicts_under_two_protocols(board):
    counted = scores.counts(board)
    as_printed = counted.xs("as printed", level="protocol")
    assert as_printed.loc[2007].tolist() == [42, 38, 39, 36]
    assert as_printed.loc[2009].tolist() == [96, 43, 64, 43]
    assert as_printed.loc["both"].tolist() == [138, 81, 103, 79]


@pytest.mark.parametrize("paper", ["carvalho2007", "carvalho2009"])
@pytest.mark.parametrize("protocol", ["as printed", "honest"])
def test_the_board_and_the_scoreboard_count_the_same_numbers_inside(board, paper, protocol):
    experiment = experiment_of(paper)
    shown = experiment.table(Records(experiment, RESULTS / paper), protocol)
    mine = board[(board.paper == int(paper[-4:])) & (board.protocol == protocol)]
    assert shown.inside.sum() == mine.inside.sum()


def test_real_intervals_of_cross_validated_rows_are_1_96_times_the_printed_ones(board):
    factor = (board.half_width_95 / board.half_width).groupby(board.dataset).first().round(2)
    assert factor[factor == 1].index.tolist() == ["chess", "letter", "satimage", "segment", "waveform"]
    assert (factor.drop(factor.index[factor == 1]) == 1.96).all()


def test_most_numbers_have_an_explanation(explained):
    counted = explained.explanation.value_counts()
    assert counted.to_dict() == {scores.OWN: 103, scores.NAIVE_BAYES: 23, scores.UNEXPLAINED: 9, scores.MISPRINT: 3}


def test_the_columns_of_nml_and_mit_are_explained_whole(candidates):
    found = scores.suspects_of_columns(candidates, own=True).set_index(["column", "protocol"])
    assert found.explained["NML", "minimum, penalty added"] == 12
    at_the_bar = scores.suspects_of_columns(candidates, "half_width").groupby("column").first()
    mit = at_the_bar.loc["MIT(0.99)"]
    assert mit[["protocol", "item", "explained"]].tolist() == ["minimum, codes cut as numbers", "BDeu(1)", 12]
    assert at_the_bar.p_any.drop("MIT(0.99)").min() > 0.05 > mit.p_any


def test_the_half_widths_of_segment_are_those_of_the_rerun(explained):
    segment = explained[(explained.paper == 2007) & (explained.dataset == "segment")].set_index("item")
    implied = scores.implied_accuracy()
    assert (segment.rerun - implied.implied).abs().le(implied.half_width).all()
    assert (segment.rerun - implied.accuracy).abs().gt(10).all()


def test_the_chart_has_every_number_once(explained):
    figure = scoreboard_figure(explained)
    assert sum(len(trace.x) for trace in figure.data) == 138
    assert all(abs(x) <= 4 for trace in figure.data for x in trace.x)
    alone = scoreboard_figure(explained[explained.paper == 2007])
    assert sum(len(trace.x) for trace in alone.data) == 42
