"""Influence diagrams in the field's shapes, with permanent edges and present choices told apart."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bnlab.figures import influence_classes, influence_layout, influence_picture
from bnlab.figures.graphs.influence import STROKES
from bnlab.figures.picture import Picture
from bnlab.learners.chen.search import ChenSearch
from bnlab.networks.influence import InfluenceDiagram, structure_learning_diagram
from tests.figures.read_picture import SVG, parsed

NAMES = ["X1", "X2", "X3"]
HOSTILE = "<img src=x onerror=alert(1)>"
FIGURE_1A = structure_learning_diagram(NAMES, permanent=[("X1", "X3")], choices=[("X2", "X3")])
UMBRELLA = InfluenceDiagram(
    ["Weather", "Forecast"],
    ["Take"],
    ["Joy"],
    [("Weather", "Forecast"), ("Forecast", "Take"), ("Weather", "Joy"), ("Take", "Joy")],
    {"Take": ("yes", "no")},
)


def shapes(picture: Picture) -> dict[str, str]:
    """Shape of each node by the name in it."""
    found = {}
    for group in parsed(picture).iter(f"{SVG}g"):
        text = group.find(f"{SVG}text")
        if text is not None and group[0].tag == f"{SVG}title":
            found[str(text.text)] = group[1].tag.removeprefix(SVG)
    return found


def test_chance_is_oval_decision_rectangle_utility_diamond() -> None:
    expected = {"X1": "ellipse", "D(X1)": "rect", "U": "polygon"}
    assert {name: shape for name, shape in shapes(influence_picture(FIGURE_1A)).items() if name in expected} == expected
    assert Counter(shapes(influence_picture(FIGURE_1A)).values()) == {"ellipse": 3, "rect": 3, "polygon": 1}


def test_permanent_edges_and_choices_differ_in_colour_width_and_dashes() -> None:
    classes = influence_classes(FIGURE_1A)
    assert classes["X1", "X3"] == "permanent"
    assert classes["X2", "X3"] == "chosen"
    assert classes["D(X2)", "X2"] == "dependence"
    permanent, chosen = STROKES["permanent"], STROKES["chosen"]
    assert (permanent.colour, permanent.dash) != (chosen.colour, chosen.dash)
    assert permanent.dash is None
    drawn = Counter(
        (p.attrib["stroke"], p.attrib.get("stroke-dasharray"))
        for p in parsed(influence_picture(FIGURE_1A)).iter(f"{SVG}path")
    )
    assert drawn[permanent.colour, None] == 1
    assert drawn[chosen.colour, chosen.dash] == 1


def test_edges_of_other_diagrams_are_told_by_what_they_lead_to() -> None:
    assert influence_classes(UMBRELLA) == {
        ("Weather", "Forecast"): "dependence",
        ("Weather", "Joy"): "value",
        ("Forecast", "Take"): "information",
        ("Take", "Joy"): "value",
    }


def test_a_diagram_of_the_search_shows_its_state() -> None:
    search = ChenSearch(lambda child, parents: float(len(parents)), 3, permanent=[(0, 2)], seed=0)
    state, _ = search.step(search.init())
    classes = influence_classes(search.diagram(state))
    learned = {edge: found for edge, found in classes.items() if found in ("permanent", "chosen")}
    edges = {(f"X{u + 1}", f"X{v + 1}") for v, parents in enumerate(state.parents) for u in parents}
    assert set(learned) == edges
    permanent = {(f"X{u + 1}", f"X{v + 1}") for u, v in state.permanent}
    assert {edge for edge, found in learned.items() if found == "permanent"} == permanent


def test_the_text_alternative_names_edges_and_inactive_decisions() -> None:
    alt = influence_picture(FIGURE_1A, inactive=["D(X3)"], title="Figure 1(a)").alt
    assert alt.startswith("Figure 1(a): influence diagram of 3 chance nodes, 3 decisions and 1 utility node.")
    assert "X1 → X3 (permanent)" in alt
    assert alt.endswith("No longer active: D(X3).")


def test_one_layout_serves_several_steps() -> None:
    steps = [structure_learning_diagram(NAMES, choices=[("X3", "X1")]), FIGURE_1A]
    layout = influence_layout(*steps)
    places = [
        [
            g[1].attrib
            for g in parsed(influence_picture(step, layout=layout)).iter(f"{SVG}g")
            if g.find(f"{SVG}text") is not None
        ]
        for step in steps
    ]
    assert places[0] == places[1]


def test_edges_end_on_the_rims_of_their_shapes() -> None:
    layout = influence_layout(FIGURE_1A)
    index = {name: i for i, name in enumerate(FIGURE_1A.names)}
    heads = [
        np.array(h.attrib["points"].split(), float).reshape(3, 2)[0]
        for h in parsed(influence_picture(FIGURE_1A, layout=layout)).iter(f"{SVG}polygon")
        if len(h.attrib["points"].split()) == 6
    ]
    assert len(heads) == len(FIGURE_1A.edges)
    u = index["U"]
    for edge in FIGURE_1A.edges:
        if edge[1] == "U":
            a, b = layout.sizes[u] / 2
            gaps = [abs(abs(x - layout.centres[u, 0]) / a + abs(y - layout.centres[u, 1]) / b - 1) for x, y in heads]
            assert min(gaps) < 0.12


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: influence_picture(FIGURE_1A, inactive=["D(X9)"]), "no such decision"),
        (lambda: influence_picture(FIGURE_1A, layout=influence_layout(UMBRELLA)), "4 nodes, the diagram 7"),
        (lambda: influence_layout(FIGURE_1A, UMBRELLA), "different nodes"),
        (influence_layout, "no diagram"),
    ],
)
def test_what_does_not_fit_is_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
