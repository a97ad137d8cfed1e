import html.parser

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.analysis import Preparation, Recipe, Study
from bnlab.figures.report import study_report
from bnlab.graphs.confidence import EdgeConfidence

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def frame():
    frame = bnlab.load_network("cancer").sample(200, seed=1).to_pandas().astype(str)
    frame["age"] = np.linspace(20, 80, len(frame))
    return frame.rename(columns={"Xray": HOSTILE})


@pytest.fixture
def study(frame):
    preparation = Preparation.suggested(frame)
    table = preparation.apply(frame)
    study = Study(HOSTILE, table.fingerprint, preparation)
    for name, recipe in {"climb": Recipe(), HOSTILE: Recipe("chow-liu")}.items():
        study = study.with_result(name, recipe, recipe.learn(table))
    n = table.n_variables
    arcs = np.triu(np.full((n, n), 0.25), 1)
    return Study(**{**vars(study), "confidence": {HOSTILE: EdgeConfidence(table.names, arcs, 8)}})


class Page(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_fetches_nothing_and_runs_nothing(study, frame):
    page = Page(study_report(study, frame, title=HOSTILE).html)
    assert "script" not in {tag for tag, _ in page.tags}
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on")]
    addresses = [attrs[name] for _, attrs in page.tags for name in ("src", "href") if name in attrs]
    assert addresses
    assert all(address.startswith("data:image/svg+xml;base64,") for address in addresses)


def test_it_tells_data_networks_scores_confidence_and_code(study, frame):
    page = Page(study_report(study, frame).html)
    words = "\n".join(page.words)
    cuts = f"<={study.preparation.cuts['age'][0]:.12g}"
    for told in ("200 rows", cuts, HOSTILE, "BDeu", "25%", "bnlab.learn(table, 'chow-liu')", "preparation"):
        assert told in words
    assert len([tag for tag, _ in page.tags if tag == "img"]) == 3


def test_findings_come_first_and_code_last(study, frame):
    page = study_report(study, frame).html
    order = [page.index(f"<h2>{name}</h2>") for name in ("Findings", "Networks", "Scores", "Data", "Limits", "Code")]
    assert order == sorted(order)
    assert "among 5 variables" in page[order[0] : order[1]]


def test_edges_are_listed_in_the_direction_that_the_network_draws():
    frame = bnlab.load_network("cancer").sample(2000, seed=1).to_pandas().astype(str)
    table = Preparation().apply(frame)
    graph = bnlab.Dag.from_edges(table.names, [("Pollution", "Cancer"), ("Smoker", "Cancer"), ("Cancer", "Xray")])
    u, v = table.index("Cancer"), table.index("Pollution")
    arcs = np.zeros((5, 5))
    arcs[u, v], arcs[v, u], arcs[table.index("Dyspnoea"), u] = 0.7, 0.2, 0.1
    study = Study("", table.fingerprint, Preparation()).with_result("net", None, graph)
    study = Study(**{**vars(study), "confidence": {"net": EdgeConfidence(table.names, arcs, 10)}})
    words = Page(study_report(study, frame).html).words
    k = words.index("Pollution → Cancer")
    assert words[k : k + 3] == ["Pollution → Cancer", "90%", "22%"]
    assert any("Not in the network: Dyspnoea – Cancer (10%)." in word for word in words)


def test_an_edge_that_the_data_leave_open_has_no_arrow_and_no_share_of_its_direction():
    frame = bnlab.load_network("cancer").sample(2000, seed=1).to_pandas().astype(str)
    table = Preparation().apply(frame)
    graph = bnlab.Dag.from_edges(table.names, [("Smoker", "Cancer"), ("Pollution", "Cancer"), ("Xray", "Dyspnoea")])
    study = Study("", table.fingerprint, Preparation()).with_result("net", Recipe(), graph)
    words = Page(study_report(study, frame).html).words
    for edge, direction in (
        ("Smoker → Cancer", "decided"),
        ("Pollution → Cancer", "decided"),
        ("Xray – Dyspnoea", "open"),
    ):
        assert words[words.index(edge) + 1] == direction


def test_held_out_rows_are_shown_with_intervals(study, frame):
    table = study.preparation.apply(frame)
    found = bnlab.cross_validate(table, {"climb": "hill-climbing"}, folds=3, target="Dyspnoea")
    words = " ".join(Page(study_report(study, frame, validation=found).html).words)
    assert "in 3 folds" in words
    assert f"{found.summary().loc[('log_likelihood', 'climb'), 'mean']:.4g}".replace("-", "−") in words
    assert "Predicts Dyspnoea right in" in words


def test_a_study_of_data_alone_has_no_empty_sections():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "u"]})
    words = Page(study_report(Study(), frame).html).words
    assert "Data" in words
    assert not {"Networks", "Network", "Scores"} & set(words)
