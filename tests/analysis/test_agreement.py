import re

import numpy as np
import pytest

from bnlab.analysis import distances, edge_agreement
from bnlab.figures.agreement import agreement_table, distance_table
from bnlab.graphs import Dag, compare, essential
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.equivalence import as_learned

NAMES = ["<b>", "Y", "Z"]


@pytest.fixture
def networks():
    return {
        "one": Dag.from_edges(NAMES, [("<b>", "Y"), ("Y", "Z")]),
        "two": Dag.from_edges(NAMES, [("Y", "<b>")]),
        "three": Dag.from_edges(NAMES, [("Y", "<b>"), ("<b>", "Z")]),
    }


def test_an_edge_points_as_most_networks_have_it(networks):
    frame = edge_agreement(networks)
    assert frame.drop(columns="strength").to_numpy().tolist() == [
        ["Y", "<b>", 3, "<-", "->", "->"],
        ["Y", "Z", 1, "->", "", ""],
        ["<b>", "Z", 1, "", "", "->"],
    ]
    assert frame["strength"].isna().all()


def test_the_bootstrap_of_any_network_tells_the_strength(networks):
    arcs = [[0, 0.25, 0], [0.5, 0, 0.1], [0, 0, 0]]
    confidence = {"one": EdgeConfidence(tuple(NAMES), np.array(arcs), 20)}
    strengths = edge_agreement(networks, confidence).set_index(["u", "v"])["strength"]
    assert strengths[("Y", "<b>")] == 0.75
    assert strengths[("Y", "Z")] == pytest.approx(0.1)


def test_distances_are_those_of_compare(networks):
    plain, classes = distances(networks), distances(networks, equivalence=True)
    for a in networks:
        for b in networks:
            found = compare(networks[a], networks[b])
            assert (plain.loc[a, b], classes.loc[a, b]) == (found.shd, found.shd_cpdag)
    assert plain.loc["one", "two"] == 2


def test_tables_of_learned_networks_use_no_word_of_a_true_one(networks):
    for made in (agreement_table(networks), distance_table(networks)):
        assert not re.search(r"\b(true|extra|missing)\b", re.sub("<[^>]*>", " ", made.html) + made.text)


def test_networks_on_other_variables_are_refused(networks):
    with pytest.raises(ValueError, match="W"):
        edge_agreement({**networks, "other": Dag.empty([*NAMES, "W"])})


def test_networks_may_have_the_names_of_other_columns(networks):
    made = agreement_table(dict(zip(("networks", "strength", "edge"), networks.values(), strict=True)))
    assert "3 edges in any network, 1 in all of them" in made.html


def test_the_tables_are_text_and_say_how_many_edges_are_left_out(networks):
    made = agreement_table(networks, most=1)
    assert "3 edges in any network, 1 in all of them" in made.html
    assert "2 further ones are not listed" in made.html
    assert "&lt;b&gt;" in made.html
    assert "<b>" not in made.html
    assert "1 (2)" in distance_table(networks).text  # of the classes, and of the networks


def test_a_class_has_edges_without_a_direction_and_distances_between_classes_alone(networks):
    chain = {"class": essential(networks["one"]), **networks}
    frame = edge_agreement(chain)
    assert frame.drop(columns="strength").to_numpy().tolist() == [
        ["Y", "<b>", 4, "--", "<-", "->", "->"],
        ["Y", "Z", 2, "--", "->", "", ""],
        ["<b>", "Z", 1, "", "", "", "->"],
    ]
    assert edge_agreement({"class": as_learned(networks["one"]), **networks}).equals(frame)
    assert edge_agreement({"class": essential(networks["one"])})["class"].tolist() == ["--", "--"]
    assert "– has no direction that data can decide" in agreement_table(chain).html
    assert "no direction" not in agreement_table(networks).html
    assert distances(chain, equivalence=True).loc["class", "one"] == 0
    assert "(" not in distance_table(chain).text
    with pytest.raises(ValueError, match=r"'class' is an equivalence class: give equivalence=True.*member"):
        distances(chain)
