"""The tables of learners and scores: they agree with the code, and one entry is all that a new one needs."""

import re
import shutil
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

import bnlab
from bnlab.learners import ChenSearch, OrderingSearch, learn
from bnlab.learners.chen.readings import Readings
from bnlab.learners.table import CLASS_LEARNERS, COMPLETION, GAP_LEARNERS, LEARNERS, scores_of
from bnlab.scores import make_score
from bnlab.scores.make import SCORE_TABLE
from bnlab.skeletons.skeleton import SKELETONS

# The functions of these pass their options on.
TAKES = {
    "ordering-search": (LEARNERS["ordering-search"].search, OrderingSearch),
    "chen": (LEARNERS["chen"].search, ChenSearch, Readings),
}


NOT_OPTIONS = {"phi", "n", "options", "readings", "sets", "shown"}


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_has_the_options_of_its_entry(name):
    taken = {option for maker in TAKES.get(name, (LEARNERS[name].search,)) for option in signature(maker).parameters}
    assert {option.name for option in LEARNERS[name].options} == taken - NOT_OPTIONS


@pytest.mark.parametrize("name", SCORE_TABLE)
def test_a_score_has_the_parameters_of_its_entry(name):
    assert {option.name for option in SCORE_TABLE[name].options} == set(signature(SCORE_TABLE[name].make).parameters)


@pytest.mark.parametrize("name", SKELETONS)
def test_a_learner_of_skeletons_has_the_options_of_its_entry(name):
    taken = set(signature(SKELETONS[name].search).parameters) - {"tester"}
    assert {option.name for option in SKELETONS[name].options} == taken | {"variant"}  # which `make_search` takes


@pytest.mark.parametrize("name", GAP_LEARNERS)
def test_a_learner_for_missing_values_has_the_options_of_its_entry(name):
    taken = set(signature(GAP_LEARNERS[name].search).parameters) - {"table", "make", "scores"}
    assert {option.name for option in GAP_LEARNERS[name].options} == taken | {"learner"}
    assert COMPLETION in GAP_LEARNERS


@pytest.mark.parametrize("name", CLASS_LEARNERS)
def test_a_learner_of_classes_has_the_options_of_its_entry(name):
    taken = set(signature(CLASS_LEARNERS[name].search).parameters) - {"data", "phi", "n"}
    assert {option.name for option in CLASS_LEARNERS[name].options} == taken


@pytest.mark.parametrize(
    "table",
    [LEARNERS, GAP_LEARNERS, CLASS_LEARNERS, SCORE_TABLE, SKELETONS],
    ids=["learners", "learners for missing values", "learners of classes", "scores", "skeletons"],
)
def test_every_entry_is_described_in_a_sentence_and_every_option_in_a_phrase(table):
    for name, entry in table.items():
        assert name == entry.name
        assert entry.label
        assert entry.words.endswith(".")
        assert all(option.words and not option.words.endswith(".") for option in entry.options)


def test_the_documentation_names_every_learner_and_every_score():
    assert {name for name in (*LEARNERS, *GAP_LEARNERS, *CLASS_LEARNERS) if f'"{name}": ' not in learn.__doc__} == set()
    assert {name for name in SCORE_TABLE if f'"{name}"' not in make_score.__doc__} == set()


def test_scores_without_a_penalty_are_offered_for_trees_only():
    assert [name for name in LEARNERS if "ll" in scores_of(name)] == ["chow-liu", "branching"]
    assert scores_of("chow-liu") == ("ll",)
    assert scores_of("k2")[0] == scores_of("chen")[0] == "k2"


LEARNER = """
class StarSearch:
    def __init__(self, phi, n, centre=0):
        self.found = tuple((centre,) if v != centre else () for v in range(n))

    def init(self):
        return False

    def step(self, state):
        return True, None

    def is_done(self, state):
        return state

    def result(self, state):
        return self.found
"""
LEARNER_ENTRY = """
    Learner("star", "Star", "All edges from one variable.", (Option("centre", "index of it", "Centre", 0),),
            search=StarSearch),
"""
SCORE = """
from dataclasses import dataclass
from bnlab.scores.likelihood import BIC

@dataclass(frozen=True)
class Twice(BIC):
    name = "twice"
"""
USE = """
import bnlab
from bnlab.widgets import Workbench
table = bnlab.load_network("cancer").sample(50, seed=0)
assert len(bnlab.learn(table, "Star", centre=1, score="twice").edges) == 4
workbench = Workbench(table)
workbench.algorithm, workbench.score = "star", "twice"
workbench.learn()
print(list(workbench.networks))
"""


def insert(path: Path, before: str, text: str) -> None:
    source = path.read_text()
    assert before in source
    path.write_text(source.replace(before, text + before, 1))


def test_a_new_learner_and_a_new_score_need_a_file_and_an_entry_each(tmp_path):
    library = tmp_path / "bnlab"
    shutil.copytree(Path(bnlab.__file__).parent, library)
    (library / "learners" / "star.py").write_text(LEARNER)
    insert(library / "learners" / "table.py", "\n@dataclass", "from bnlab.learners.star import StarSearch\n")
    insert(library / "learners" / "table.py", "    Learner(\n", LEARNER_ENTRY)
    (library / "scores" / "twice.py").write_text(SCORE)
    insert(library / "scores" / "make.py", "\n@dataclass", "from bnlab.scores.twice import Twice\n")
    insert(
        library / "scores" / "make.py",
        "    ScoreEntry(\n",
        '    ScoreEntry("twice", "Twice", "As BIC.", make=Twice),\n',
    )
    done = subprocess.run(
        [sys.executable, "-c", USE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=500,
        env={"PYTHONPATH": str(tmp_path), "PATH": "", "NUMBA_DISABLE_JIT": "1"},  # machine code belongs to a folder
    )
    assert re.search(r"\['Star, Twice'\]", done.stdout), done.stderr
