"""The course: each exercise has a check that a collapsed solution passes, and that no other answer does."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bnlab
from tools.notebooks import read

COURSE = Path(__file__).parent.parent / "notebooks" / "course"
LESSONS = sorted(COURSE.glob("*.ipynb"))
CHECKED = re.compile(r'^check\("(\d\.\d)", (\w+)\)', re.MULTILINE)

WRONG: dict[str, Any] = {
    "1.1": 0.0116 + 0.0003,
    "1.2": 0.9,
    "1.3": {"xray", "dysp"},
    "2.1": 36,
    "2.2": lambda counts: float(counts.sum()),
    "2.3": {"a", "b", "d"},
    "2.4": 10_000,
    "3.1": lambda counts: 0.0,
    "3.2": 30,
    "3.3": {("B", "C"), ("C", "D"), ("C", "A")},
    "4.1": lambda n: 2 ** (n * (n - 1)),
    "4.2": 28,
    "4.3": {"restarts": 1},
    "5.1": lambda counts: 1.0,
    "5.2": {"bronc", "xray"},
    "5.3": {("tub", "either"), ("lung", "either")},
    "6.1": bnlab.Knowledge(required=[("smoke", "bronc")]),
    "6.2": set(),
    "6.3": 0.8080,
}


@pytest.fixture(scope="module")
def course() -> ModuleType:
    """The module of the checks, which lies beside the lessons."""
    spec = spec_from_file_location("course_check", COURSE / "check.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def said(course: ModuleType, capsys: pytest.CaptureFixture[str]) -> Callable[[str, Any], str]:
    """What the check of an exercise prints about an answer."""

    def say(exercise: str, answer: Any) -> str:
        course.check(exercise, answer)
        return capsys.readouterr().out.strip()

    return say


def test_there_are_six_lessons_and_every_exercise_is_in_one(course: ModuleType) -> None:
    found = [(path.name[0], exercise) for path in LESSONS for exercise in exercises(path)]
    assert {lesson for lesson, _ in found} == set("123456")
    assert [exercise for _, exercise in found] == sorted(course.EXERCISES)
    assert all(exercise.startswith(lesson) for lesson, exercise in found)
    assert WRONG.keys() == course.EXERCISES.keys()


def exercises(path: Path) -> list[str]:
    """Exercises of a lesson in order."""
    return list(dict.fromkeys(exercise for cell in read(path).cells for exercise, _ in CHECKED.findall(cell.source)))


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_an_exercise_is_open_and_its_solution_is_collapsed_and_right(path: Path) -> None:
    cells = [cell for cell in read(path).cells if cell.cell_type == "code" and CHECKED.search(cell.source)]
    assert len(cells) == 2 * len(exercises(path))
    for exercise, solution in zip(cells[::2], cells[1::2], strict=True):
        assert CHECKED.findall(exercise.source) == CHECKED.findall(solution.source)
        assert [output.text for output in exercise.outputs] == ["Not answered yet.\n"]
        assert "jupyter" not in exercise.metadata
        assert [output.text for output in solution.outputs] == ["Right.\n"]
        assert solution.metadata.jupyter == {"source_hidden": True, "outputs_hidden": True}


@pytest.mark.parametrize("exercise", WRONG)
def test_a_wrong_answer_gets_a_hint_and_none_is_no_answer(exercise: str, said: Callable[[str, Any], str]) -> None:
    assert said(exercise, None) == "Not answered yet."
    assert said(exercise, WRONG[exercise]).startswith("Not yet. ")
    if callable(WRONG[exercise]):
        assert said(exercise, lambda argument: None) == "Not answered yet."


def test_an_answer_of_the_wrong_kind_is_named(said: Callable[[str, Any], str]) -> None:
    assert said("1.1", "about one").startswith("This answer cannot be checked (ValueError: ")


@pytest.mark.parametrize(
    ("exercise", "answer"),
    [("5.2", {"lung", "bronc"}), ("5.2", ["either", "bronc"]), ("6.2", {"lung"}), ("6.2", ["either"])],
)
def test_every_right_answer_is_right(exercise: str, answer: Any, said: Callable[[str, Any], str]) -> None:
    assert said(exercise, answer) == "Right."
