from __future__ import annotations

import pytest

from bnlab.graphs import Dag
from bnlab.networks import BifError, load_network, read_bif, simple, write_bif
from bnlab.networks.load import TEXTBOOK


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_networks_load_without_a_file(name, monkeypatch):
    monkeypatch.setenv("BNLAB_DATA", "/nonexistent")
    assert load_network(name) == TEXTBOOK[name]()


@pytest.mark.needs_data
@pytest.mark.parametrize("name", ["asia", "cancer", "earthquake"])
def test_textbook_networks_equal_the_files_of_the_repository(shared_data, name):
    assert TEXTBOOK[name]() == read_bif(shared_data / "networks" / f"{name}.bif")


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "parameters"),
    [
        ("barley", 48, 84, 114_005),
        ("diabetes", 413, 602, 429_409),
        ("hepar2", 70, 123, 1453),
        ("link", 724, 1125, 14_211),
        ("mildew", 35, 46, 540_150),
        ("munin", 1041, 1397, 80_592),
        ("munin1", 186, 273, 15_622),
        ("pathfinder", 109, 195, 72_079),
        ("pigs", 441, 592, 5618),
        ("water", 32, 66, 10_083),
        ("win95pts", 76, 112, 574),
    ],
)
def test_large_networks_have_the_sizes_that_their_repository_publishes(shared_data, name, nodes, edges, parameters):
    net = load_network(name)
    assert (len(net), len(net.dag.edges), net.n_parameters) == (nodes, edges, parameters)


def test_the_simple_network_has_the_size_of_figure_2a():
    net = simple()
    assert (len(net), len(net.dag.edges), net.n_parameters) == (7, 7, 29)


def test_a_path_loads_a_file(tmp_path):
    write_bif(simple(), tmp_path / "mine.bif")
    assert load_network(tmp_path / "mine.bif") == simple()
    assert load_network(str(tmp_path / "mine.bif")) == simple()
    (tmp_path / "wrong.bif").write_text("network x {")
    with pytest.raises(BifError):
        load_network(tmp_path / "wrong.bif")
    with pytest.raises(FileNotFoundError):
        load_network(tmp_path / "none.bif")


def test_an_unknown_name_offers_near_ones():
    with pytest.raises(ValueError, match="did you mean 'alarm'"):
        load_network("alram")


@pytest.mark.needs_data
def test_alarm_has_the_names_states_and_edges_of_the_golden_sample(shared_data, golden, alarm5k):
    import pandas as pd

    net = load_network("alarm")
    assert net.variables == alarm5k.variables
    arcs = pd.read_csv(golden / "arcs.csv", keep_default_na=False)
    true = arcs[(arcs.dataset == "alarm5k") & (arcs.structure == "true")]
    assert net.dag == Dag.from_edges(net.names, list(zip(true["from"], true["to"], strict=True)))


@pytest.mark.needs_data
def test_a_sample_by_r_is_as_likely_as_our_own(shared_data, alarm5k):
    net = load_network("alarm")
    theirs, ours = net.log_likelihood(alarm5k), net.log_likelihood(net.sample(5000, seed=1))
    spread = (theirs.var() / 5000 + ours.var() / 5000) ** 0.5
    assert abs(theirs.mean() - ours.mean()) < 4 * spread
