import json

import numpy as np
import pytest

import bnlab
from bnlab._runtime.budget import MemoryBudget
from bnlab.analysis import Preparation, Recipe, Study
from bnlab.graphs import Dag, Knowledge, essential, member
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.equivalence import as_learned

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
            "confidence": {HOSTILE: EdgeConfidence(table.names, np.eye(n, k=1) / 3, 3)},
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
    with pytest.raises(ValueError, match="is no saved session"):
        Study.open(tmp_path / "study.json")


def test_a_study_that_would_need_too_much_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("BNLAB_MEMORY", "1M")
    (tmp_path / "study.json").write_text("[" + "{}," * 100_000 + "{}]")
    with pytest.raises(MemoryBudget, match="the study in"):
        Study.open(tmp_path / "study.json")


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        (("preparation", "cuts", "age"), [40, float("nan")], r"^x is no saved session: preparation: cuts\['age'\]"),
        (("preparation", "leave_out"), "age", "preparation.leave_out = 'age': a list is needed"),
        (("recipes", "climb", "algorithm"), "climb", r"recipes\['climb'\]: algorithm='climb'"),
        (("recipes", "climb", "options", "within"), [["a", "b"]], r"options: 'a' is no variable of the network"),
        (("recipes", "climb", "code"), "print(1)", r"recipes\['climb'\]: 'code' is no part of it"),
        (
            ("graphs", "climb", "names"),
            ["a\0"],
            r"graphs\['climb'\].names: a name = 'a\\x00': no text file holds a NUL",
        ),
        (("graphs", "climb", "names"), ["a", "a"], r"graphs\['climb'\].names: a name occurs twice"),
        (("graphs", "climb", "edges"), ["ab"], r"graphs\['climb'\].edges: 'ab' is no pair"),
        (("graphs", "climb", "edges"), [["lung", "either"], ["either", "lung"]], "cycle"),
        (("graphs", "none"), {"names": ["a"], "edges": []}, r"graphs\['none'\].names: all networks are on the same"),
        (("bootstrap_seed",), "5", "bootstrap_seed = '5': a whole number"),
        (("bootstrap_seed",), True, "bootstrap_seed = True: a whole number"),
        (("stopped",), ["nobody"], "stopped: 'nobody' is the name of no learned network"),
        (("source",), "\ud800.csv", r"source = '\\ud800.csv' holds '\\ud800', half of a character"),
        (("fingerprint",), "0", "fingerprint = '0': 64 hexadecimal digits"),
        (("format",), "bnlab study 9", "format = 'bnlab study 9': this version reads 'bnlab study 1'"),
        (("more",), 1, "session: 'more' is no part of it"),
    ],
)
def test_a_forged_session_is_refused_with_the_name_of_the_field(study, path, value, told):
    content = json.loads(json.dumps(study.to_json()))
    place = content
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValueError, match=told):
        Study.read("x", json.dumps(content).encode())


@pytest.mark.parametrize(
    ("arcs", "told"),
    [
        ([[0, 0.5], [0.6, 0]], "add to more than 1"),
        ([[0, 2], [0, 0]], "2 is no share"),
        ([[0, "1"], [0, 0]], "'1' is no share"),
        ([[1, 0], [0, 0]], "those of the diagonal 0"),
        ([[0, 0]], "2 rows of 2 numbers"),
    ],
)
def test_a_forged_confidence_is_refused_with_its_name(arcs, told):
    graph = Dag.from_edges(["a", "b"], [("a", "b")])
    content = Study().with_result("tree", Recipe("chow-liu"), graph).to_json()
    content["confidence"] = {"tree": {"names": ["a", "b"], "arcs": arcs, "graphs": 2}}
    with pytest.raises(ValueError, match=rf"confidence\['tree'\].arcs: .*{told}"):
        Study.read("x", json.dumps(content).encode())


def test_files_of_earlier_versions_without_a_target_or_stopped_searches_open(study):
    content = study.to_json()
    del content["stopped"], content["preparation"]["target"]
    assert Study.read("x", json.dumps(content).encode()).to_json() == study.to_json()


def test_names_of_numpy_and_numbers_of_numpy_are_written_as_plain_python():
    names = [np.str_("a"), np.str_("b")]
    study = Study("x", preparation=Preparation((names[0],), {names[1]: np.array([1.0, 2.5])}))
    code = study.with_result(np.str_("tree"), None, Dag.from_edges(names, [names])).code()
    assert "np." not in code
    assert "cuts={'b': (1.0, 2.5)}" in code
    assert "'tree': bnlab.Dag.from_edges(table.names, (('a', 'b'),))" in code


def test_a_file_keeps_the_edges_that_the_data_leave_open():
    chain = as_learned(Dag("XYZ", [("X", "Y"), ("Y", "Z")]), Knowledge(required=[("Y", "Z")]))
    assert chain.undecided == {("X", "Y")}
    study = Study().with_result("average", None, chain).with_result("own", None, member(chain))
    study = study.with_result("learned", Recipe(), member(chain))
    opened = Study.from_json(json.loads(json.dumps(study.to_json())))
    assert {name: graph.undecided for name, graph in opened.graphs.items()} == {
        "average": {("X", "Y")},
        "own": None,
        "learned": {("X", "Y"), ("Y", "Z")},
    }
    assert opened.as_class("learned") == essential(chain)
