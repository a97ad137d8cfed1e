import json

import nbformat
import numpy as np
import pytest

import bnlab
from bnlab._runtime.budget import MemoryBudget
from bnlab.analysis import Preparation, Recipe, Study
from bnlab.graphs import Dag
from bnlab.graphs.confidence import EdgeConfidence

HOSTILE = "<img src=x onerror=alert(1)>\n'); drop"


@pytest.fixture
def frame():
    frame = bnlab.load_network("asia").sample(300, seed=1).to_pandas().astype(str)
    frame["age"] = np.random.default_rng(2).normal(50, 10, len(frame))
    return frame.rename(columns={"asia": HOSTILE})


@pytest.fixture
def study(frame, tmp_path):
    path = tmp_path / "patients.csv"
    frame.to_csv(path, index=False)
    preparation = Preparation.suggested(bnlab.load_frame(path))
    table = preparation.apply(bnlab.load_frame(path))
    study = Study(str(path), table.fingerprint, preparation)
    for name, recipe in {
        "climb": Recipe("hill-climbing", "bdeu", {"ess": 4}),
        HOSTILE: Recipe("ckg", None, {"k": 1}),
    }.items():
        study = study.with_result(name, recipe, recipe.learn(table))
    n = len(table.names)
    return Study(
        **{
            **vars(study),
            "confidence": {HOSTILE: EdgeConfidence(table.names, np.eye(n)[::-1] / 3, 3)},
            "bootstrap_seed": 5,
        }
    )


def test_a_saved_study_comes_back_whole(study, tmp_path):
    study.save(tmp_path / "study.json")
    back = Study.open(tmp_path / "study.json")
    assert back.to_json() == study.to_json()
    assert back.graphs == study.graphs
    assert back.preparation == study.preparation


def test_the_code_gives_the_same_table_and_networks(study):
    names = {}
    exec(study.code(), names)
    assert names["table"].fingerprint == study.fingerprint
    assert names["networks"] == study.graphs
    assert names["confidence"].graphs == 3


def test_the_notebook_is_valid_and_shows_names_as_text(study):
    notebook = nbformat.from_dict(study.notebook(HOSTILE))
    nbformat.validate(notebook)
    words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert not any("<img" in text.replace("\\<", "") for text in words)
    names = {}
    exec("\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code"), names)
    assert names["networks"] == study.graphs


def test_searches_that_were_stopped_come_again_edge_by_edge(study):
    part = Dag.from_edges(study.graphs["climb"].names, [("lung", "either")])
    stopped = study.with_result(HOSTILE, Recipe(), part, stopped=True).with_result("mean", None, part)
    names = {}
    exec(stopped.code(), names)
    assert names["networks"] == stopped.graphs
    assert Study.from_json(json.loads(json.dumps(stopped.to_json()))).stopped == (HOSTILE,)
    assert stopped.with_result(HOSTILE, Recipe(), part).stopped == ()


def test_a_network_learned_anew_loses_its_old_confidence(study):
    again = study.with_result(HOSTILE, Recipe(), Dag.empty(study.graphs["climb"].names))
    assert not again.confidence
    assert not again.graphs[HOSTILE].edges


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[1]",
        "{}",
        '{"format": "other"}',
        "\udcff",
        json.dumps({"format": "bnlab study 1", "source": ""}),
        "[" * 100_000,
    ],
)
def test_other_files_are_refused_in_words(content, tmp_path):
    (tmp_path / "study.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match="is no saved study"):
        Study.open(tmp_path / "study.json")


def test_a_graph_with_a_cycle_is_no_study(study, tmp_path):
    content = study.to_json()
    content["graphs"]["climb"]["edges"] = [["lung", "either"], ["either", "lung"]]
    (tmp_path / "study.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="cycle"):
        Study.open(tmp_path / "study.json")


def test_a_study_that_would_need_too_much_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("BNLAB_MEMORY", "1M")
    (tmp_path / "study.json").write_text("[" + "{}," * 100_000 + "{}]")
    with pytest.raises(MemoryBudget, match="the study in"):
        Study.open(tmp_path / "study.json")
