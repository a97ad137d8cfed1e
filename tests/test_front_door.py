"""The few names that most people use, used the way they use them."""

import importlib
import pkgutil
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab import learners, skeletons
from bnlab.citests import G2Tester
from bnlab.counts.information import mutual_information
from bnlab.data import as_table
from bnlab.figures.contingency import contingency_data
from bnlab.learners.bootstrap import Bootstrap
from bnlab.networks import fit
from bnlab.scores import local_scores
from bnlab.search import run
from bnlab.widgets import NetworkGraph


@pytest.fixture(scope="module")
def asia():
    net = bnlab.load_network("asia")
    return net, net.sample(800, seed=3)


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


FRONT_DOORS = {
    "learn": lambda net, data: bnlab.learn(data),
    "learn, k2": lambda net, data: bnlab.learn(data, "k2"),
    "learn, start and within": lambda net, data: bnlab.learn(
        data, "hc", start=net.dag, within=bnlab.skeleton(data, "mmpc")
    ),
    "learners.make_search": lambda net, data: run(learners.make_search(data, "chow_liu")),
    "score": lambda net, data: bnlab.score(net, data, "MDL"),
    "scores.local_scores": lambda net, data: local_scores(data, "bdeu")("dysp", ("bronc",)),
    "skeleton": lambda net, data: bnlab.skeleton(data, "HPC", alpha=0.01),
    "skeletons.make_search": lambda net, data: run(skeletons.make_search(data, "Opt-HPC")),
    "networks.fit": lambda net, data: fit(net.dag, data).cpt("dysp").tolist(),
    "log_likelihood": lambda net, data: net.log_likelihood(data).tolist(),
    "mutual_information": lambda net, data: mutual_information(data).tolist(),
    "edge_probabilities": lambda net, data: bnlab.edge_probabilities(data, score="k2").arcs.tolist(),
    "bootstrap": lambda net, data: run(Bootstrap(data, bnlab.learn, replicates=3)).strength.tolist(),
    "network graph": lambda net, data: NetworkGraph(net.dag, data).scores().to_dict(),
    "contingency": lambda net, data: contingency_data(G2Tester(data).test("tub", "lung"), data).to_dict(),
}


@pytest.mark.parametrize("door", FRONT_DOORS)
def test_a_data_frame_is_taken_wherever_a_table_is(asia, door):
    net, data = asia
    assert FRONT_DOORS[door](net, data.to_pandas()) == FRONT_DOORS[door](net, data)


@pytest.mark.parametrize("door", FRONT_DOORS)
def test_a_data_frame_that_is_no_table_is_refused_as_by_load_data(asia, door):
    net, data = asia
    frame = data.to_pandas().assign(dysp=0.5)
    with pytest.raises(ValueError, match="columns 'dysp' are continuous") as refused:
        FRONT_DOORS[door](net, frame)
    with pytest.raises(ValueError, match="continuous") as expected:
        bnlab.load_data(frame)
    assert str(refused.value) == str(expected.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("letter", r"type str: a Table or a DataFrame is needed; bnlab.load_data\('letter'\) reads"),
        (Path("mine.csv"), r"bnlab.load_data\('mine.csv'\) reads a file"),
        (np.zeros((3, 2), dtype=int), r"type ndarray: .*; pandas.DataFrame\(data, columns="),
        (None, "type NoneType: a Table or a DataFrame is needed"),
        (bnlab.Dag("XY", []), "type Dag: a Table or a DataFrame is needed"),
        (nx.DiGraph([("X", "Y")]), "type DiGraph: a Table or a DataFrame is needed"),
        (bnlab.load_network("cancer"), r"type BayesianNetwork: .* net.sample\(1000, seed=1\) draws rows"),
        (pd.Series(["a", "b"]), "type Series: a Table or a DataFrame is needed"),
        (pd.DataFrame({"x": ["a", "b"]}).pivot, "type method"),
        (pd.DataFrame(), "the DataFrame has 0 rows and 0 columns"),
    ],
)
def test_what_holds_no_rows_is_refused_with_the_way_to_them(data, message):
    for call in (bnlab.learn, bnlab.skeleton, lambda given: bnlab.score([], given), as_table):
        with pytest.raises((TypeError, ValueError), match=message):
            call(data)


def test_learn_without_an_algorithm_takes_the_recommended_one(asia):
    table = asia[1]
    found = bnlab.learners.recommended(table.n_variables, table.n_rows)
    assert bnlab.learn(table) == bnlab.learn(table, found.algorithm, **found.options)


@pytest.mark.parametrize(
    ("graph", "error", "message"),
    [
        ("asia", TypeError, r"'asia' is not a directed graph: .*bnlab.load_network\('asia'\)"),
        (["asia", "tub"], ValueError, r"edge 'asia': an edge is a pair of names, \(parent, child\)"),
        ([1, 2], ValueError, r"edge 1: an edge is a pair of names"),
        ([("asia", "tubb")], ValueError, r"no variable 'tubb'; did you mean 'tub'"),
        (bnlab.load_network("cancer"), ValueError, r"it lacks 'asia'.*table.select\(names\) leaves columns out"),
        (bnlab.graphs.skeleton(bnlab.load_network("asia").dag), ValueError, r"no member: .*learn\(data, within=pdag\)"),
    ],
)
def test_what_is_no_graph_on_these_variables_is_refused_with_the_way_out(asia, graph, error, message):
    with pytest.raises(error, match=message):
        bnlab.score(graph, asia[1])


def test_the_graph_comes_before_the_data(asia):
    net, data = asia
    for rows in (data, data.to_pandas()):
        with pytest.raises(TypeError, match=r"the graph comes first, as in bnlab.score\(graph, data\)"):
            bnlab.score(rows, net)


def test_a_score_is_a_name_or_a_score_and_not_a_class(asia):
    net, data = asia
    for wrong in (3, None, ["bic"]):
        with pytest.raises(TypeError, match=r"is not a name: give a string; known names: aic, .*LocalScore"):
            bnlab.score(net, data, wrong)
    for call in (lambda: bnlab.score(net, data, bnlab.scores.BIC), lambda: bnlab.learn(data, score=bnlab.scores.BIC)):
        with pytest.raises(TypeError, match=r"score=BIC is a class: give a score, BIC\(...\), or its name"):
            call()


def test_every_public_name_exists():
    for name in bnlab.__all__:
        assert getattr(bnlab, name) is not None
        assert name in dir(bnlab)
    with pytest.raises(AttributeError, match="no attribute 'lern'"):
        bnlab.lern  # noqa: B018


def test_every_package_is_there_after_the_first_import():
    packages = {module.name for module in pkgutil.iter_modules(bnlab.__path__) if module.ispkg if module.name[0] != "_"}
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
