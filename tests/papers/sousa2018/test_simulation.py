"""Simulated panels of known networks: what a cell counts, and what is stored."""

from __future__ import annotations

import pytest

import bnlab
from benchmarks.contenders.learnbcdbn import listed_edges, wide_rows
from bnlab.papers import sousa2018
from tests.papers.base.test_experiment import RESULTS
from tools import dbn_programs


@pytest.mark.parametrize(("truth", "most"), sousa2018.TRUTHS.items())
def test_a_network_has_one_parent_from_the_past_and_the_given_number_within(truth: str, most: int) -> None:
    dag = sousa2018.random_network(6, truth, 4).structure.transition
    edges = [(u, v) for u, v in dag.edges if "t-1" not in u]
    assert len(dag.edges) - len(edges) == 6
    counts = sorted(sum(head == v for _, head in edges) for v in dag.names if "t-1" not in v)
    assert counts == sorted(min(place, most) for place in range(6))


def test_an_unknown_kind_of_network_is_refused() -> None:
    with pytest.raises(ValueError, match="'trees': did you mean 'tree'"):
        sousa2018.random_network(3, "trees", 1)


def test_a_cell_counts_the_edges_that_were_found() -> None:
    cell = {"truth": "tree", "n": 4, "units": 400, "seed": 3, "learner": "tdbn"}
    record = {**cell, **sousa2018.evaluate(cell)}
    net = sousa2018.random_network(4, "tree", 3)
    found = set(bnlab.learn_dynamic(net.sample(400, 6, 3), "tdbn").transition.edges)
    right = set(net.structure.transition.edges)
    frame = sousa2018.records_frame([record]).iloc[0]
    assert frame.precision == pytest.approx(len(found & right) / len(found))
    assert frame.recall == pytest.approx(len(found & right) / len(right))
    assert frame.f1 == pytest.approx(2 * frame.precision * frame.recall / (frame.precision + frame.recall))
    assert frame.f1 <= frame.f1_pairs <= 1


def test_every_cell_has_its_stored_record() -> None:
    for parts, folder in ((sousa2018.STORED, "sousa2018"), (dbn_programs.STORED, "dbn_programs")):
        for part in parts:
            grid = part.grid(RESULTS / folder)
            assert grid.is_done(grid.init())


def test_edges_of_the_program_have_the_names_of_the_rows() -> None:
    text = 'digraph dbn{\nX0_0[label="X0[0]"];\n\nX1_0 -> X0_1\nX0_1 -> X1_1\n}\n'
    assert listed_edges(text, ["bp", "drug"]) == [["bp[t]", "drug[t]"], ["drug[t-1]", "bp[t]"]]


def test_rows_for_the_program_are_the_panel() -> None:
    panel = sousa2018.random_network(3, "tree", 1).sample(30, 4, 1)
    rows = wide_rows(panel)
    assert list(rows)[:4] == ["x0__0", "x1__0", "x2__0", "x0__1"]
    again = bnlab.load_panel(rows, wide="__").table.to_pandas().astype(str)
    assert again.equals(panel.table.to_pandas().astype(str))
