"""The few names that most people use, used the way they use them."""

import importlib
import pkgutil

import networkx as nx
import pandas as pd
import pytest

import bnlab


@pytest.fixture(scope="module")
def asia():
    net = bnlab.load_network("asia")
    return net, net.sample(20_000, seed=3)


def test_the_readme_example_runs(asia):
    net, data = asia
    assert bnlab.score(net.dag, data, "bdeu", ess=4) < 0
    per_node = bnlab.score(net.dag, data, "bdeu", ess=4, per_node=True)
    assert isinstance(per_node, pd.Series)
    assert tuple(per_node.index) == data.names
    assert per_node.sum() == pytest.approx(bnlab.score(net.dag, data, "bdeu", ess=4))
    tree = bnlab.learn(data, "chow-liu")
    comparison = bnlab.compare(tree, net.dag)
    assert comparison.tp + comparison.fp == len(tree.edges) == len(data.names) - 1
    assert comparison.tp + comparison.fn == len(net.dag.edges)


def test_a_graph_may_be_a_dag_a_networkx_graph_or_a_list_of_edges(asia):
    net, data = asia
    expected = bnlab.score(net.dag, data, "bic")
    graph = nx.DiGraph(net.dag.edges)
    assert bnlab.score(graph, data, "bic") == expected
    assert bnlab.score(list(net.dag.edges), data, "bic") == expected


def test_the_tree_of_greatest_score_beats_the_chow_liu_tree_under_that_score(asia):
    _, data = asia
    chow_liu = bnlab.learn(data, "chow-liu")
    for name in ("aic", "bic", "nml", "mit", "k2", "bdeu"):
        assert bnlab.score(bnlab.learn(data, "branching", score=name), data, name) >= bnlab.score(chow_liu, data, name)


def test_a_chosen_root_has_no_parent(asia):
    _, data = asia
    for algorithm, params in [("chow-liu", {}), ("branching", {"score": "k2"}), ("branching", {"score": "bic"})]:
        assert bnlab.learn(data, algorithm, root="dysp", **params).parents_of("dysp") == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"algorithm": "chou-liu"}, "did you mean 'chow-liu'"),
        ({"algorithm": "chow-liu", "score": "bic"}, "branching"),
        ({"algorithm": "branching", "score": "bick"}, "did you mean 'bic'"),
        ({"algorithm": "branching", "score": "bdeu", "ess": 0}, "ess"),
        ({"algorithm": "branching", "root": "dyspnoea"}, "did you mean 'dysp'"),
    ],
)
def test_unknown_options_are_refused_with_a_way_out(asia, arguments, message):
    with pytest.raises(ValueError, match=message):
        bnlab.learn(asia[1], **arguments)


def test_a_network_over_other_variables_is_refused(asia):
    net, data = asia
    with pytest.raises(ValueError, match="smoke"):
        bnlab.score([("smoke", "cough")], data, "bic")
    with pytest.raises(TypeError, match="load_data"):
        bnlab.score(net.dag, data.to_pandas(), "bic")


def test_every_public_name_exists():
    for name in bnlab.__all__:
        assert getattr(bnlab, name) is not None
        assert name in dir(bnlab)
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        bnlab.lern  # noqa: B018


def test_every_package_is_there_after_the_first_import():
    packages = {module.name for module in pkgutil.iter_modules(bnlab.__path__) if module.ispkg}
    assert packages <= set(bnlab.__dir__())
    for name in packages:
        assert bnlab.__getattr__(name) is importlib.import_module(f"bnlab.{name}")


@pytest.mark.parametrize("package", [m.name for m in pkgutil.walk_packages(bnlab.__path__, "bnlab.") if m.ispkg])
def test_a_package_lists_every_public_name_before_its_first_use(package):
    module = importlib.import_module(package)
    listed = dir(module)
    for name in getattr(module, "__all__", ()):
        assert name in listed
        assert getattr(module, name) is not None
