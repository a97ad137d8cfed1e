"""Probabilities that are typed: the rule of a row, undo, what follows from a table, and what is refused."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from bnlab.data import Table, Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, read_bif
from bnlab.widgets import NetworkGraph
from bnlab.widgets.base.pure import Set
from bnlab.widgets.graph.page import page
from bnlab.widgets.graph.session import GraphSession
from bnlab.widgets.graph.state import Change, Select, ShowRows, State, TypeRow, UndoEdit
from bnlab.widgets.graph.tables import typed_table
from bnlab.widgets.graph.update import begun, update
from tests.widgets.graph.acting import after


def large(arities: tuple[int, ...] = (4, 5, 6), own: int = 3) -> BayesianNetwork:
    """Network whose last node has a row for each of many configurations."""
    names = [f"p{i}" for i in range(len(arities))]
    variables = [Variable(n, tuple(f"s{k}" for k in range(a))) for n, a in zip(names, arities, strict=True)]
    rng = np.random.default_rng(3)
    tables = [rng.dirichlet(np.ones(a)) for a in arities] + [rng.dirichlet(np.ones(own), arities)]
    child = Variable("child", tuple(f"c{k}" for k in range(own)))
    parents: list[tuple[int, ...]] = [() for _ in arities]
    dag = Dag([*names, "child"], [*parents, tuple(range(len(arities)))])
    return BayesianNetwork(dag, [*variables, child], tables)


@pytest.fixture
def editing(asia: BayesianNetwork, table: Table) -> State:
    """Asia with data, its tables open to be typed, and lung selected."""
    return after(begun(GraphSession(asia, table), None, bars=True), Set("edit_tables", True), Select(["lung"]))


def test_the_typed_probability_stays_and_the_others_of_its_row_keep_their_proportions() -> None:
    rng = np.random.default_rng(5)
    net = large((3, 2), 4)
    before = net.cpt("child")
    for _ in range(50):
        row, state, p = int(rng.integers(6)), int(rng.integers(4)), round(float(rng.random()), 3)
        found = typed_table(net, "child", row, state, str(p)).reshape(6, 4)
        others = [k for k in range(4) if k != state]
        old = before.reshape(6, 4)[row]
        assert found[row, state] == p
        assert found[row].sum() == pytest.approx(1, abs=1e-12)
        assert found[row, others] * old[others].sum() == pytest.approx(old[others] * (1 - p), abs=1e-12)
        assert (np.delete(found, row, axis=0) == np.delete(before.reshape(6, 4), row, axis=0)).all()


@pytest.mark.parametrize(
    ("state", "text", "expected"),
    [
        (0, "25%", [0.25, 0.375, 0.375]),
        (0, "0.5 0.2", [0.5, 0.2, 0.3]),
        (1, "0.1 0.2", [0.7, 0.1, 0.2]),
        (0, ".2\t.3\t.5", [0.2, 0.3, 0.5]),
        (0, "0.333 0.333 0.333", [1 / 3, 1 / 3, 1 / 3]),
        (0, "1", [1, 0, 0]),
        (2, "0", [1 / 3, 2 / 3, 0]),
    ],
)
def test_several_numbers_fill_the_row_from_their_state_on(state: int, text: str, expected: list[float]) -> None:
    net = BayesianNetwork(Dag.empty("a"), [Variable("a", ("x", "y", "z"))], [[0.2, 0.4, 0.4]])
    assert typed_table(net, "a", 0, state, text) == pytest.approx(expected, abs=1e-12)


def test_the_others_share_equally_what_is_left_if_all_were_0() -> None:
    net = BayesianNetwork(Dag.empty("a"), [Variable("a", ("x", "y", "z"))], [[1.0, 0.0, 0.0]])
    assert typed_table(net, "a", 0, 0, "0.4") == pytest.approx([0.4, 0.3, 0.3])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("lots", "P(lung | smoke = no): 'lots' is no number; type a number from 0 to 1, such as 0.25 or 25%."),
        ("-0.1", "P(lung | smoke = no): '-0.1' is no probability; type a number from 0 to 1, such as 0.25 or 25%."),
        ("1.2", "'1.2' is no probability"),
        ("nan", "'nan' is no probability"),
        ("120%", "'120%' is no probability"),
        ("", "nothing is typed"),
        ("0.7 0.6", "the numbers sum to 1.3; the probabilities of a row sum to 1."),
        ("0.2 0.3", "the row sums to 0.5, not 1; leave out a number, and it gets the rest."),
        ("0.1 0.2 0.7", "3 numbers for 2 states"),
    ],
)
def test_what_is_no_row_is_refused_with_value_rule_and_way_out(editing: State, text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        update(editing, TypeRow("lung", 1, 0, text))


def test_a_typed_table_reaches_network_bars_posteriors_and_files_and_undo_takes_it_back(
    editing: State, tmp_path: Path, asia: BayesianNetwork, table: Table
) -> None:
    typed = after(
        editing, Set("evidence", {"xray": "yes"}), TypeRow("lung", 0, 0, "0.4"), TypeRow("smoke", 0, 1, "0.8")
    )
    assert typed.status.startswith("set P(smoke) · 8 nodes")
    net = typed.session.network
    assert net.cpt("lung") == pytest.approx(np.array([[0.4, 0.6], [0.01, 0.99]]))
    # By hand, with the tables of Lauritzen and Spiegelhalter: P(lung | xray = yes).
    joint = np.zeros(2)
    for smoke, lung, tub in product((0, 1), repeat=3):
        p_tub = 0.01 * 0.05 + 0.99 * 0.01
        p = (0.2, 0.8)[smoke] * ((0.4, 0.6), (0.01, 0.99))[smoke][lung] * (p_tub, 1 - p_tub)[tub]
        joint[lung] += p * (0.98 if lung == 0 or tub == 0 else 0.05)
    assert typed.data.bars["lung"]["p"] == pytest.approx(joint / joint.sum(), rel=1e-9)
    assert page(typed)["details"]["cpt"]["rows"][0]["text"] == ["0.4", "0.6"]

    widget = NetworkGraph(asia, table)
    widget.set_table("lung", net.cpt("lung"))
    widget.save(tmp_path / "typed.bif")
    assert read_bif(tmp_path / "typed.bif").cpt("lung") == pytest.approx(net.cpt("lung"))

    back = after(typed, UndoEdit(), UndoEdit())
    assert back.session.network == asia
    assert after(back, UndoEdit(redo=True), UndoEdit(redo=True)).session.network == net
    with pytest.raises(ValueError, match="nothing to undo"):
        update(back, UndoEdit())


def test_a_typed_table_stays_while_its_node_keeps_its_parents(editing: State) -> None:
    typed = after(editing, TypeRow("lung", 0, 0, "0.4"), Change("delete", "asia", "tub"))
    assert typed.session.network.cpt("lung")[0] == pytest.approx([0.4, 0.6])
    other = after(typed, Change("delete", "smoke", "lung"), Change("add", "smoke", "lung"))
    assert other.session.network.cpt("lung")[0] == pytest.approx([0.4, 0.6])


def test_without_data_an_edit_after_typing_keeps_the_joint_distribution_that_was_typed(asia: BayesianNetwork) -> None:
    typed = after(begun(GraphSession(asia), None, bars=True), TypeRow("lung", 0, 0, "0.4"))
    turned = after(typed, Change("reverse", "smoke", "lung")).session.network
    for query in ("bronc", ["smoke", "lung"], ["lung", "xray"]):
        assert turned.marginal(query) == pytest.approx(typed.session.network.marginal(query))


def test_a_table_of_many_rows_is_edited_page_by_page() -> None:
    net = large()
    state = after(begun(GraphSession(net), None, bars=False), Set("edit_tables", True), Select(["child"]))
    seen = []
    for first in (0, 48, 96):
        shown = page(after(state, ShowRows(first)))["details"]["cpt"]
        assert (shown["pages"]["first"], shown["pages"]["all"]) == (first, 120)
        seen += [(row["code"], *row["when"]) for row in shown["rows"]]
    configurations = product(*([f"s{k}" for k in range(a)] for a in (4, 5, 6)))
    assert seen == [(code, *when) for code, when in enumerate(configurations)]
    assert page(after(state, ShowRows(1000)))["details"]["cpt"]["pages"]["first"] == 96
    assert page(after(state, ShowRows(96), Select(["p0"]), Select(["child"])))["details"]["cpt"]["pages"]["first"] == 0
    last = after(state, ShowRows(96), TypeRow("child", 119, 2, "0.5")).session.network
    assert last.cpt("child")[3, 4, 5, 2] == 0.5


def test_what_was_mistyped_stays_with_its_error_until_something_else_is_said(asia: BayesianNetwork) -> None:
    widget = NetworkGraph(asia)
    widget.edit_tables, widget.selected_node = True, "lung"

    def type_(text: str) -> None:
        about = {"type": "probabilities", "node": "lung", "row": 0, "state": 1, "text": text}
        widget.inspector._handle_custom_msg(about, [])

    type_("2")
    shown = widget.inspector.content["cpt"]["mistyped"]
    assert (shown["row"], shown["state"], shown["text"]) == (0, 1, "2")
    assert shown["problem"] == widget.status
    assert widget.status.startswith("Not done: P(lung | smoke = yes): '2' is no probability")
    assert widget.network == asia
    type_("0.2")
    assert widget.inspector.content["cpt"]["mistyped"] is None
    assert not widget.failed


def test_tables_are_typed_only_where_there_are_some_and_the_graph_can_be_edited(
    asia: BayesianNetwork, editing: State
) -> None:
    with pytest.raises(ValueError, match="there are no probabilities"):
        NetworkGraph(asia.dag).edit_tables = True
    with pytest.raises(ValueError, match="there are no probabilities"):
        NetworkGraph(asia.dag).set_table("lung", [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"sums to 1\.1"):
        NetworkGraph(asia).set_table("lung", [[0.5, 0.6], [0.5, 0.5]])
    closed = after(editing, Set("editable", False))
    assert "rule" not in page(closed)["details"]["cpt"]
    with pytest.raises(ValueError, match="cannot be edited as it is shown"):
        update(closed, TypeRow("lung", 0, 0, "0.5"))
    assert "rule" in page(after(editing, Set("show_essential", True)))["details"]["cpt"]
