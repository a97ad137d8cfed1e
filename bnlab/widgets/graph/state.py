"""State of a `NetworkGraph`, and its messages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bnlab.graphs import Dag, Knowledge, Pdag
from bnlab.widgets.base.pure import Message
from bnlab.widgets.graph.data import GraphData
from bnlab.widgets.graph.session import GraphSession, Shown


@dataclass(frozen=True)
class State:
    """State of a `NetworkGraph`; its public fields are described there."""

    session: GraphSession = field(repr=False)
    data: GraphData = field(default=GraphData(Pdag([])), repr=False)
    """What is drawn: always that of the other fields."""
    layout: int = 0
    """Number of the layout; another one asks for new positions."""
    selected: tuple[str, ...] = ()
    """Selected nodes; none while an edge is selected."""
    selected_edge: tuple[str, str] | None = None
    score: str = "bic"
    strength: str = "none"
    highlight: str = "neighbours"
    show_essential: bool = False
    show_member: bool = False
    compare: bool = False
    bars: bool = False
    threshold: float | None = None
    labels: bool = False
    matters: bool = False
    explanation: bool = False
    sensitivity: bool = False
    target_state: int = 0
    """State of the selected node whose probability the sensitivity is of."""
    edit_tables: bool = False
    first_row: int = 0
    """First row of the table that is edited, of a table of many rows."""
    adding: bool = False
    """Whether the details have a form for a new variable while nothing is selected."""
    mistyped: Any = None
    """Message of the page whose error the status reports, while it does: its texts stay to be corrected."""
    tried: tuple[str, str] | None = None
    """Edge that is being drawn in the picture."""
    show_knowledge: bool = True
    details: bool = True
    focus: tuple[str, ...] = ()
    editable: bool = True
    learnable: bool = True
    learning: bool = False
    stopping: bool = False
    status: str = ""
    failed: bool = False

    @property
    def graph(self) -> Shown:
        """Current graph."""
        return self.session.graph

    @property
    def selected_node(self) -> str | None:
        """Node that was selected last; None while an edge is selected."""
        return self.selected[-1] if self.selected else None

    @property
    def evidence(self) -> dict[str, Any]:
        """Observed states."""
        return self.session.evidence

    @property
    def do(self) -> dict[str, Any]:
        """States that are set by interventions."""
        return self.session.do

    @property
    def knowledge(self) -> Knowledge | None:
        """Background knowledge."""
        return self.session.knowledge

    @property
    def can_edit(self) -> bool:
        """Whether the page can edit the graph as it is shown."""
        return self.editable and isinstance(self.graph, Dag)

    @property
    def can_add(self) -> bool:
        """Whether the page can add, rename and remove variables."""
        return self.can_edit and not self.session.variables_fixed


class Switch(Message):
    """Show another graph in place of this one."""

    session: GraphSession
    threshold: float | None


class Change(Message):
    """Add, delete or reverse an edge, from code; or also require, forbid or free it, from the page."""

    action: Any
    u: str
    v: str
    by_page: bool = False


class Try(Message):
    """An edge is being drawn, as far as another node; None when it no longer is."""

    ends: tuple[str, str] | None = None


class TypeRow(Message):
    """Type probabilities of a row of a node's table, from one state on; from the page."""

    node: str
    row: int
    state: int
    text: str


class TypeNoisyOr(Message):
    """Type the numbers of a noisy-OR; from the page."""

    node: str
    effects: Mapping[str, str]
    leak: str


class SetTable(Message):
    """Give a node another table."""

    node: str
    table: Any
    words: str = ""
    """What the change is, by default the name of the table."""


class NewVariable(Message):
    """Show the form for a new variable."""


class AddVariable(Message):
    """Add a variable, without edges and with equally probable states."""

    name: str
    states: Sequence[Hashable]


class RenameVariable(Message):
    """Give a variable another name."""

    node: str
    name: str


class RemoveVariable(Message):
    """Remove a variable and its edges."""

    node: str


class Close(Message):
    """Select nothing, or close the form for a new variable."""


class ShowRows(Message):
    """Show the table that is edited from a row on."""

    first: int


class UndoEdit(Message):
    """Go back one change of the graph, or with `redo` forward."""

    redo: bool = False


class Select(Message):
    """Select nodes or an edge."""

    nodes: Sequence[str] = ()
    edge: Sequence[str] | None = None


class Observe(Message):
    """Observe a state by its index, or with `do` set it; None removes the evidence of the node."""

    node: str
    state: int | None
    do: bool = False


class Weigh(Message):
    """Give a state the likelihood with which its probability becomes `p`; other evidence of the node goes."""

    node: str
    state: int
    p: float


class Target(Message):
    """Choose the state of the selected node whose sensitivity is shown."""

    state: int


class ClearEvidence(Message):
    """Remove all observations and interventions."""


class Focus(Message):
    """Draw only the neighbourhood of a node, by default of the selection; or all nodes again."""

    node: str | None = None
    wanted: bool = True


class FocusModule(Message):
    """Draw only a module (`bnlab.widgets.graph.focus.modules`), by its main node, and what is around; None for all."""

    node: str | None


class ResetPositions(Message):
    """Compute the layout again."""


class Learn(Message):
    """Learn the graph again; by default with the recommended learner."""

    algorithm: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


class LearnOrStop(Message):
    """Learn the graph again, or stop the learner if it runs."""


class StopLearning(Message):
    """Stop the learner; the graph stays as it is."""


class Learned(Message):
    """A graph was learned for a session; None after a stop."""

    session: GraphSession
    graph: Dag | None


class Mistyped(Message):
    """What the page typed, as a message, was refused."""

    text: str
    what: Message
