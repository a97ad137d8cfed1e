"""A network drawn from nothing: variables, edges, tables and noisy-OR, each undone; and what is refused."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnlab import compare, essential
from bnlab.data import Table
from bnlab.graphs import Knowledge
from bnlab.networks import BayesianNetwork, noisy_or, read_bif
from bnlab.widgets import NetworkGraph
from bnlab.widgets.base.pure import Set
from bnlab.widgets.graph.page import page
from bnlab.widgets.graph.requests import message_of
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.state import (
    AddVariable,
    Change,
    Close,
    NewVariable,
    RemoveVariable,
    RenameVariable,
    Select,
    State,
    TypeNoisyOr,
    TypeRow,
    UndoEdit,
)
from bnlab.widgets.graph.update import begun, update
from tests.widgets.graph.acting import after

DRAWN = [
    AddVariable("flu", ("yes", "no")),
    AddVariable("cold", ("yes", "no")),
    AddVariable("fever", ("yes", "no")),
    Change("add", "flu", "fever", by_page=True),
    Change("add", "cold", "fever", by_page=True),
    TypeRow("flu", 0, 0, "0.1"),
    TypeNoisyOr("fever", {"flu": "0.8", "cold": "50%"}, "0.1"),
    AddVariable("throat", ("sore", "red", "fine")),
    Change("add", "cold", "throat", by_page=True),
    RenameVariable("throat", "sore throat"),
    RemoveVariable("cold"),
]


@pytest.fixture
def empty() -> State:
    """Nothing drawn yet."""
    return begun(GraphSession(None), None, bars=True)


def test_nothing_invites_to_add_a_variable_and_is_a_network_already(empty: State, tmp_path: Path) -> None:
    shown = page(empty)
    assert (shown["invitation"], shown["details"]["title"], shown["beside"]) == ("Add a variable", "New variable", True)
    widget = NetworkGraph()
    assert widget.status.startswith("An empty network. Add a variable")
    assert widget.network == BayesianNetwork(widget.graph, (), ())
    assert "svg" in str(widget._repr_mimebundle_())
    widget.save(tmp_path / "empty.py")
    widget.add_variable("rain")
    assert widget.view.invitation == ""


def test_each_step_of_a_drawing_is_undone_and_redone(empty: State) -> None:
    states = [empty]
    for message in DRAWN:
        states.append(after(states[-1], message))
    nets = [state.session.network for state in states]
    assert nets[3].cpt("fever").tolist() == [0.5, 0.5]
    assert nets[5].cpt("fever") == pytest.approx(np.full((2, 2, 2), 0.5))
    assert nets[9].cpt("throat") == pytest.approx(np.full((2, 3), 1 / 3))
    assert nets[10].names == ("flu", "cold", "fever", "sore throat")
    assert nets[-1].names == ("flu", "fever", "sore throat")
    back = states[-1]
    for net in nets[-2::-1]:
        back = after(back, UndoEdit())
        assert back.session.network == net
    for net in nets[1:]:
        back = after(back, UndoEdit(redo=True))
        assert back.session.network == net


def test_a_drawn_network_has_the_probabilities_that_were_typed_and_a_file(tmp_path: Path) -> None:
    widget = NetworkGraph()
    for message in DRAWN[:7]:
        widget.dispatch(message)
    expected = 0.0
    for flu, cold in product((True, False), repeat=2):
        off = 0.9 * (0.2 if flu else 1) * (0.5 if cold else 1)
        expected += (0.1 if flu else 0.9) * 0.5 * (1 - off)
    assert widget.marginals().loc[("fever", "yes"), "after"] == pytest.approx(expected)
    widget.save(tmp_path / "drawn.bif")
    read = read_bif(tmp_path / "drawn.bif")
    assert (read.dag, read.variables) == (widget.network.dag, widget.network.variables)
    assert all(a == pytest.approx(b) for a, b in zip(read.cpts, widget.network.cpts, strict=True))


def test_a_renamed_variable_stays_where_it_is_selected_and_observed() -> None:
    widget = NetworkGraph()
    for name in ("a", "b"):
        widget.add_variable(name)
    widget.edit("add", "a", "b")
    widget.view.positions = {"a": [300.0, 40.0]}
    places = [(node["x"], node["y"]) for node in widget.view.nodes]
    widget.selected_node, widget.evidence, widget.focus = "a", {"a": "yes"}, ("a",)
    widget.rename_variable("a", "alpha")
    assert (widget.selected_node, widget.evidence, widget.focus) == ("alpha", {"alpha": "yes"}, ("alpha",))
    widget.focus = ()
    assert widget.view.positions == {"alpha": [300.0, 40.0]}
    assert [(node["x"], node["y"]) for node in widget.view.nodes] == places
    widget.undo()
    assert (widget.view.positions, widget.evidence) == ({"a": [300.0, 40.0]}, {"a": "yes"})
    assert widget.selected_node == "a"
    widget.redo()
    assert (widget.selected_node, widget.evidence) == ("alpha", {"alpha": "yes"})
    assert widget.marginals().loc[("b", "yes"), "after"] == pytest.approx(0.5)
    widget.undo()
    widget.remove_variable("a")
    assert (widget.graph.names, widget.selected_node) == (("b",), None)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (
            AddVariable("flu", ("yes", "no")),
            "name 'flu': another variable has it already; each needs",
        ),
        (AddVariable("", ("yes", "no")), "a variable needs a name, such as “lung”"),
        (AddVariable("x", ("yes",)), "'x' needs at least two, such as yes and no"),
        (AddVariable("x", ("yes", "yes")), "has the state 'yes' twice: states must differ"),
        (RenameVariable("flu", "cold"), "name 'cold': another variable has it already"),
        (RenameVariable("flu", ""), "a variable needs a name"),
        (RemoveVariable("flue"), "flue"),
        (TypeNoisyOr("fever", {"flu": "2", "cold": "0"}, "0"), "flu: '2' is no probability; type a number from 0 to 1"),
        (TypeNoisyOr("fever", {"flu": "1", "cold": "much"}, "0"), "cold: 'much' is no number"),
        (TypeNoisyOr("fever", {"flu": "1", "cold": "0"}, ""), "leak: '' is no number"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_rule_and_way_out(empty: State, message: Any, words: str) -> None:
    drawn = after(empty, *DRAWN[:5])
    with pytest.raises(ValueError, match=words):
        update(drawn, message)


def test_variables_of_data_comparisons_and_knowledge_stay(asia: BayesianNetwork, table: Table) -> None:
    for session, words in (
        (GraphSession(asia, table), "the columns of the data"),
        (GraphSession(asia, truth=asia), "leave out reference, truth and strengths"),
        (GraphSession(asia.dag), "there are no probabilities"),
    ):
        state = begun(session, None, bars=False)
        assert "add" not in [control["id"] for control in page(state)["toolbar"]["tools"]]
        with pytest.raises(ValueError, match=words):
            update(state, AddVariable("fever", ("yes", "no")))
    ruled = after(begun(GraphSession(asia), None, bars=False), RemoveVariable("asia"))
    ruled = after(ruled, Set("knowledge", Knowledge(forbidden=[("smoke", "lung")])))
    with pytest.raises(ValueError, match="set `knowledge` to None before"):
        update(ruled, UndoEdit())


def test_the_form_for_a_variable_opens_closes_and_is_not_shown_beside_a_selection(asia: BayesianNetwork) -> None:
    state = begun(GraphSession(asia), None, bars=False)
    assert page(state)["details"]["kind"] == "none"
    state = after(state, Select(["lung"]), message_of({"type": "control", "id": "add", "value": True}))
    assert (page(state)["details"]["title"], state.selected) == ("New variable", ())
    state = after(state, Select(["lung"]))
    assert page(state)["details"]["title"] == "lung"
    state = after(state, Close())
    assert page(state)["details"]["title"] == "New variable"
    assert page(after(state, Close()))["details"]["kind"] == "none"
    assert after(state, NewVariable()).adding


def test_a_drawn_network_is_taken_wherever_a_graph_is(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia)
    widget.edit("delete", "asia", "tub")
    assert compare(widget, asia).fn == 1
    assert essential(widget) == essential(widget.graph)
    with pytest.raises(TypeError, match="is not a directed graph"):
        compare(NetworkGraph(essential(asia.dag)), asia)


def test_the_page_types_texts() -> None:
    typed = {"type": "variable", "name": " rain ", "states": "a, b ,,c"}
    assert message_of(typed) == AddVariable("rain", ("a", "b", "c"))
    causes = [["flu", "0.8"], ["cold", "50%"]]
    assert message_of({"type": "noisy-or", "node": "fever", "effects": causes, "leak": "0.1"}) == DRAWN[6]
    assert message_of({"type": "rename", "node": "a", "name": " b "}) == RenameVariable("a", "b")


def test_a_noisy_or_is_offered_to_binary_causes_with_the_numbers_of_the_table(empty: State) -> None:
    drawn = after(empty, *DRAWN[:5], Select(["fever"]))
    assert page(drawn)["details"]["noisy_or"]["effects"] == [["flu", "0"], ["cold", "0"]]
    typed = after(drawn, DRAWN[6])
    shown = page(typed)["details"]["noisy_or"]
    assert (shown["effects"], shown["leak"]) == ([["flu", "0.8"], ["cold", "0.5"]], "0.1")
    assert "none yet" not in shown["note"]
    other = after(typed, TypeRow("fever", 0, 0, "0.3"))
    assert "none yet" in page(other)["details"]["noisy_or"]["note"]
    wide = after(typed, AddVariable("throat", ("sore", "red", "fine")), Change("add", "cold", "throat"))
    for node in ("flu", "throat"):
        assert "noisy_or" not in page(after(wide, Select([node])))["details"]


def test_a_noisy_or_from_code_is_that_of_the_library(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia)
    widget.set_noisy_or("dysp", {"bronc": 0.8, "either": 0.7}, leak=0.1)
    by_name = {v.name: v for v in asia.variables}
    parents = [by_name[name] for name in asia.dag.parents_of("dysp")]
    expected = noisy_or(by_name["dysp"], parents, {"bronc": 0.8, "either": 0.7}, leak=0.1)
    assert widget.network.cpt("dysp") == pytest.approx(expected)
    widget.undo()
    assert widget.network == asia
    with pytest.raises(ValueError, match="no such parent"):
        widget.set_noisy_or("dysp", {"smoke": 0.8})
