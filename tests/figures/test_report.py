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


def test_a_study_of_data_alone_has_no_empty_sections():
    frame = pd.DataFrame({"a": ["x", "y"], "b": ["u", "u"]})
    words = Page(study_report(Study(), frame).html).words
    assert "Data" in words
    assert not {"Networks", "Scores", "Confidence"} & set(words)
