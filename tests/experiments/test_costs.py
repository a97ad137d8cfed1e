"""What learners cost: every learner is timed at every size, and the picture has a panel a size."""

from __future__ import annotations

import pytest

from bnlab.experiments.costs import BOUNDED, LEARNERS, MIDDLE, SIZES, STORED, evaluate, random_network, records_frame
from bnlab.figures.papers.sizes import costs_figure
from tests.experiments.test_experiment import RESULTS


@pytest.mark.parametrize("learner", LEARNERS)
def test_every_learner_takes_time(learner: str) -> None:
    cell = {"learner": learner, "rows": 200, "variables": 6, "states": 2, "parents": 2, "seed": 1}
    assert evaluate(cell)["seconds"] > 0


def test_a_random_network_has_the_sizes_asked_for() -> None:
    network = random_network(12, 4, 2, seed=3)
    assert len(network.dag) == 12
    assert {variable.arity for variable in network.variables} == {4}
    assert max(map(len, network.dag.parents)) == 2


def test_every_cell_has_its_stored_record_and_is_drawn() -> None:
    for part in STORED:
        grid = part.grid(RESULTS / "costs")
        assert grid.is_done(grid.init()), part.values
    times = records_frame(RESULTS / "costs" / "times.jsonl")
    figure = costs_figure(times)
    assert [note.text for note in figure.layout.annotations][: len(SIZES)] == [
        "Rows",
        "Variables",
        "States per variable",
        "Max. parents",
    ]
    at = {trace.name: trace for trace in figure.data if trace.xaxis == "x4"}
    assert set(at) == BOUNDED
    own = times[(times.learner == "hill climbing") & (times.parents == 4)]
    assert at["hill climbing"].y[-1] == pytest.approx(own.seconds.median())
    assert MIDDLE["parents"] in at["hill climbing"].x
