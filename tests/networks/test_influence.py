"""Influence diagrams, and structure learning as a problem of decisions."""

from __future__ import annotations

import pytest

from bnlab.networks import InfluenceDiagram, structure_learning_diagram


def edges_gained(child, parents):
    return 2.0 * len(parents) - (child == 2)


def test_figure_1_before_the_search():
    diagram = structure_learning_diagram(["X1", "X2", "X3"], edges_gained)
    assert (diagram.chance, diagram.utility) == (("X1", "X2", "X3"), ("U",))
    assert diagram.decision == ("D(X1)", "D(X2)", "D(X3)")
    assert diagram.options["D(X2)"] == ("X1", "X3", None)
    assert set(diagram.edges) == {(f"D(X{i})", f"X{i}") for i in (1, 2, 3)} | {(f"X{i}", "U") for i in (1, 2, 3)}


def test_figure_1_after_its_first_two_permanent_edges():
    diagram = structure_learning_diagram(["X1", "X2", "X3"], permanent=[("X1", "X3"), ("X2", "X3")])
    assert diagram.options == {"D(X1)": ("X2", None), "D(X2)": ("X1", None), "D(X3)": (None,)}
    assert ("X2", "X3") in diagram.edges


def test_the_utility_is_the_score_of_the_chosen_network():
    diagram = structure_learning_diagram(["X1", "X2", "X3"], edges_gained, permanent=[("X1", "X3")])
    assert diagram.value({"D(X1)": None, "D(X2)": None, "D(X3)": None}) == 1.0
    assert diagram.value({"D(X1)": "X2", "D(X2)": "X3", "D(X3)": None}) == 5.0
    with pytest.raises(ValueError, match="cycle"):
        diagram.value({"D(X1)": "X2", "D(X2)": "X1", "D(X3)": None})


def test_an_order_leaves_only_later_children():
    diagram = structure_learning_diagram(["X1", "X2", "X3"], order=["X3", "X1", "X2"])
    assert diagram.options == {"D(X1)": ("X2", None), "D(X2)": (None,), "D(X3)": ("X1", "X2", None)}


def test_the_kinds_of_nodes_are_kept():
    diagram = InfluenceDiagram(["Oil"], ["Drill"], ["Cost", "Gain"], [("Drill", "Cost")], {"Drill": ("yes", "no")})
    assert [diagram.kind(name) for name in diagram.names] == ["chance", "decision", "utility", "utility"]
    assert len(diagram.dag) == 4


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((["A"], ["A"], []), "repeat"),
        ((["A"], [], ["U"], [("U", "A")]), "utility"),
        ((["A", "B"], [], [], [("A", "B"), ("B", "A")]), "cycle"),
        ((["A"], ["D"], []), "no options"),
        ((["A"], ["D"], [], [("A", "E")], {"D": "x"}), "no variable 'E'"),
        ((["A"], ["D"], [], [], {"D": "x", "A": "y"}), "not a decision"),
        ((["A"], [], [], [], {}, {"U": len}), "not a utility node"),
    ],
)
def test_what_is_no_diagram_is_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        InfluenceDiagram(*parts)


@pytest.mark.parametrize(
    ("choices", "message"),
    [({}, "not among the choices"), ({"D(A)": "C", "D(B)": None}, "options are"), ({"D(A)": "B", "D(B)": None}, "'U'")],
)
def test_a_value_needs_every_choice_and_a_utility(choices, message):
    with pytest.raises(ValueError, match=message):
        structure_learning_diagram("AB").value(choices)


def test_a_single_variable_is_refused():
    with pytest.raises(ValueError, match="single variable"):
        structure_learning_diagram(["A"])


def test_an_unknown_node_has_no_kind():
    with pytest.raises(ValueError, match=r"D\(A\)"):
        structure_learning_diagram("AB").kind("D(a)")
