"""A state that is not one of a search is refused, where compiled loops would follow its numbers anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import pytest

from bnlab.citests.g2_tester import G2Tester
from bnlab.learners import ChenSearch, HillClimbing, paper_search
from bnlab.learners.chen.state import ChenState
from bnlab.networks import asia, simple
from bnlab.scores import local_scores
from bnlab.search import iterate

TABLE = asia().sample(300, seed=5)
SMALLER = simple().sample(300, seed=5)
PHI, SMALL_PHI = local_scores(TABLE, "k2"), local_scores(SMALLER, "k2")


def climb() -> tuple[HillClimbing, Any]:
    search = HillClimbing(PHI, 8, tabu=4)
    return search, [state for state, _ in islice(iterate(search), 3)][-1]


def chen() -> tuple[ChenSearch, ChenState]:
    search = paper_search(PHI, 8, seed=1)
    return search, [state for state, _ in islice(iterate(search), 2)][-1]


@pytest.mark.parametrize(
    "changes",
    [
        {"recent": ((0, 99),)},
        {"recent": ((-1, 3),)},
        {"recent": ((2**70, 3),)},
        {"parents": ((),) * 7},
        {"parents": ((99,), *((),) * 7)},
        {"parents": ((-1,), *((),) * 7)},
        {"parents": ((1,), (0,), *((),) * 6)},
        {"best_parents": ((2**70,), *((),) * 7)},
    ],
)
def test_a_climb_refuses_a_state_with_numbers_beyond_its_variables(changes: dict[str, Any]) -> None:
    search, state = climb()
    search.step(state)
    with pytest.raises(ValueError, match="the state is not one of this search"):
        search.step(replace(state, **changes))


def test_a_search_refuses_the_state_of_another_table() -> None:
    with pytest.raises(ValueError, match="the state is not one of this search"):
        HillClimbing(SMALL_PHI, 7).step(climb()[1])
    with pytest.raises(ValueError, match=r"the state is not one of this search over 7 variables: .* has the shape"):
        paper_search(SMALL_PHI, 7, seed=1).step(chen()[1])


Change = Callable[[np.ndarray[Any, Any]], Any]


def at(index: Any, value: Any) -> Change:
    def change(array: np.ndarray[Any, Any]) -> Any:
        array = array.copy()
        array[index] = value
        return array

    return change


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        ("parents", lambda a: a[:5], "parents has the shape"),
        ("tau", lambda a: a[:, :5], "tau has the shape"),
        ("since", lambda a: np.concatenate([a, a]), "since has the shape"),
        ("choice", at((3, 0), 99), "chooses a variable that is not there"),
        ("choice", at((3, 0), -1), "chooses a variable that is not there"),
        ("numbers", at(0, -1), "its counts are"),
        ("numbers", at(1, 3), "its counts are"),
        ("numbers", at(2, 0), "its counts are"),
        ("parents", at((2, 0), 1 << 40), "an edge from a variable that is not there"),
        ("best_parents", at((2, 0), 1 << 8), "an edge from a variable that is not there"),
        ("parents", at((2, 0), 1 << 2), "its own parent"),
        ("permanent", at(([0, 1], [1, 0]), True), "cycle"),
        ("neighbours", at((2, 0), 1 << 40), "its neighbours are not those of its graph"),
        ("ancestors", at((2, 0), 0xFF), "its ancestors are not those of its graph"),
    ],
)
def test_chen_refuses_a_state_whose_arrays_contradict_each_other(name: str, change: Change, fault: str) -> None:
    search, state = chen()
    other = paper_search(PHI, 8, seed=1)
    assert other.step(state)[0].iteration == search.step(state)[0].iteration
    part = "net" if name in state.net._fields else "decisions"
    arrays = getattr(state, part)
    changed = replace(state, **{part: arrays._replace(**{name: change(getattr(arrays, name))})})
    with pytest.raises(ValueError, match=f"the state is not one of this search over 8 variables: .*{fault}"):
        other.step(changed)


@pytest.mark.parametrize(("x", "y", "z"), [(0, 1, (9,)), (0, 9, (1,)), (-1, 2, (3,)), (0, 2, (-1, 3)), (0, 2, (3, 8))])
def test_a_test_of_a_variable_that_is_not_there_is_refused(x: int, y: int, z: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"test of .* the variables are 0\.\.7"):
        G2Tester(TABLE).strength(x, y, z)
