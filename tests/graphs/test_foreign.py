"""Graphs of other packages and in other notations are taken as they are, or refused by what they lack."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.graphs import Dag, Pdag, as_dag, as_graph, compare
from bnlab.networks import asia
from bnlab.widgets.graph.session import as_shown

DAG = Dag(["A", "B", "C d", "D"], [("A", "B"), ("C d", "B"), ("B", "D")])
TEXTS = [
    "[A][C d][B|A:C d][D|B]",
    'digraph G { rankdir=LR; node [shape=box]; A -> B [label="x -> y"]; "C d" -> B -> D; }',
    'strict digraph { "A"; B; "C d"; D; "A" -> B; B -> D\n"C d" -> B }',
    'dag { bb="0,0,1,1"\nA [exposure,pos="0.1,0.2"]\n"C d"\nA -> B <- "C d"\nB -> D }',
    DAG.to_dot(),
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_of_other_tools_is_read_as_a_graph(text: str) -> None:
    assert as_dag(text, DAG.names) == DAG
    assert compare(text, DAG).shd == 0


def test_any_random_graph_comes_back_from_dot_and_from_a_model_string() -> None:
    rng = np.random.default_rng(0)
    for n in range(2, 9):
        names = [f"v{i} {'x' * i} -> ;" for i in range(n)]
        order = rng.permutation(n)
        pairs = [(names[order[i]], names[order[j]]) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.4]
        dag = Dag(names, pairs) if pairs else Dag.empty(names)
        plain = Dag([f"v{i}" for i in range(n)], dag.parents)
        assert as_dag(dag.to_dot()) == dag
        assert as_dag(repr(plain).partition(": ")[2][:-1], plain.names) == plain


def test_a_matrix_is_a_graph_and_data_are_not() -> None:
    matrix = pd.DataFrame(0, index=list(DAG.names), columns=list(DAG.names))
    for u, v in DAG.edges:
        matrix.loc[u, v] = 1
    assert as_dag(matrix) == DAG
    matrix.loc["D", "B"] = 1
    assert as_graph(matrix) == Pdag(DAG.names, directed={(0, 1), (2, 1)}, undirected={(1, 3)})
    with pytest.raises(ValueError, match="rows and columns have the same names"):
        as_dag(pd.DataFrame({"A": [0, 1], "B": [1, 1]}))


@pytest.mark.parametrize("text", ["pdag { A -- B; B -> C }", "graph { A -- B }", "digraph { A -> B; B -> A }"])
def test_an_undirected_edge_is_no_cycle(text: str) -> None:
    assert isinstance(as_graph(text), Pdag)
    assert as_shown(text) == as_graph(text)
    with pytest.raises(TypeError, match=r"undirected edges, such as [AB] - [AB].*within=graph"):
        as_dag(text)


@pytest.mark.parametrize(
    "text", ["dag { A <-> B }", "pag { A @-> B }", "pag { A @-@ B }", "pag { A <-@ B }", "[A][B|A", "digraph"]
)
def test_text_that_is_no_graph_is_refused(text: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        as_dag(text)


def pgmpy_graph() -> Any:
    from pgmpy.base import DAG as Peer

    graph = Peer()
    graph.add_nodes_from(DAG.names)
    graph.add_edges_from(DAG.edges)
    return graph


@pytest.mark.filterwarnings("ignore")
def test_graphs_of_pgmpy_are_taken(left_out: Callable[[str, str], None]) -> None:
    if find_spec("pgmpy") is None:
        left_out("graphs of pgmpy", "pip install pgmpy")
    assert as_dag(pgmpy_graph()) == DAG
    from pgmpy.base import PDAG

    graph = PDAG(directed_ebunch=[("A", "B")], undirected_ebunch=[("B", "D")])
    found = as_graph(graph)
    assert isinstance(found, Pdag)
    assert (found.directed_edges, [set(edge) for edge in found.undirected_edges]) == ((("A", "B"),), [{"B", "D"}])


def models_of_asia(left_out: Callable[[str, str], None]) -> dict[str, Any]:
    """The graph of asia in every form."""
    for package in ("pgmpy", "pyagrum"):
        if find_spec(package) is None:
            left_out(f"graphs of {package}", f"pip install {package}")
    net = asia()
    matrix = pd.DataFrame(net.dag.adjacency().astype(int), index=list(net.names), columns=list(net.names))
    model = "[asia][tub|asia][smoke][lung|smoke][bronc|smoke][either|tub:lung][xray|either][dysp|bronc:either]"
    return {
        "networkx": nx.DiGraph(list(net.dag.edges)),
        "pgmpy": net.to_pgmpy(),
        "pyAgrum": net.to_pyagrum(),
        "matrix": matrix,
        "DOT": net.dag.to_dot(),
        "model string": model,
    }


@pytest.mark.filterwarnings("ignore")
def test_every_entry_takes_every_graph(left_out: Callable[[str, str], None]) -> None:
    net = asia()
    data = net.sample(300, seed=2)
    for kind, graph in models_of_asia(left_out).items():
        assert compare(graph, net.dag).shd == 0, kind
        assert bnlab.score(graph, data) == pytest.approx(bnlab.score(net, data), rel=1e-12), kind
        assert bnlab.networks.fit(graph, data).dag.reordered(net.names) == net.dag, kind
        for option in ("start", "within"):
            learned = bnlab.learn(data, "hill-climbing", **{option: graph})
            assert learned == bnlab.learn(data, "hill-climbing", **{option: net.dag}), (kind, option)
        bnlab.widgets.NetworkGraph(graph).close()
    for wrong in (data, data.to_pandas()):
        with pytest.raises(TypeError, match="the graph comes first"):
            bnlab.score(wrong, data)


def test_dot_of_any_names_comes_back() -> None:
    for names in (['a"b', "c\\d"], ["http://x", ""], ["a /* b", "c */ d"], ["node", "a\nb"], ["x [dir=none]", "# y"]):
        dag = Dag(names, [(names[0], names[1])])
        assert as_dag(dag.to_dot()) == dag


def test_undirected_edges_of_dot_stay_undirected() -> None:
    graph = Pdag(["X", "Y", "Z", "W"], directed=[(0, 1)], undirected=[(1, 2), (2, 3)])
    assert as_graph(graph.to_dot()) == graph
    by_bnlearn = 'digraph { "X" ; "Y" ; edge [dir=none] "Y" -> "X" ; edge [dir=forward] "X" -> "Z" ; }'  # write.dot
    assert as_graph(by_bnlearn) == Pdag(["X", "Y", "Z"], directed=[(0, 2)], undirected=[(0, 1)])
    assert as_graph("digraph { A -> B -> C [color=red, dir=back]; C -> D }").edges == (
        ("B", "A"),
        ("C", "B"),
        ("C", "D"),
    )


def test_statements_of_dot_may_be_broken_and_grouped() -> None:
    broken = "digraph { subgraph cluster_0 { A; B }\n A ->\n B\n [color=red] }"
    assert as_dag(broken) == Dag(["A", "B"], [("A", "B")])
    for lost in ("dag { A -> {B C} }", "dag { {A B} -> C }", "digraph { A -> }", "digraph { A -> B [dir=both] }"):
        with pytest.raises(ValueError, match=r"an edge .*(two nodes|one end)"):
            as_dag(lost)
