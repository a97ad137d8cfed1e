from __future__ import annotations

import pickle

import numpy as np
import pytest

from bnlab.data import Variable


def test_codes_follow_the_order_of_the_states() -> None:
    variable = Variable("size", ("small", "large"))
    assert [variable.code(state) for state in variable.states] == [0, 1]
    assert variable.arity == 2


def test_states_may_come_as_any_sequence_and_lose_their_numpy_types() -> None:
    variable = Variable("x", np.array([1, 2]))  # type: ignore[arg-type]
    assert variable == Variable("x", (1, 2))
    assert [type(state) for state in variable.states] == [int, int]


def test_a_variable_survives_pickling_and_is_hashable() -> None:
    variable = Variable("x", ("a", 1, True and "b"))
    assert pickle.loads(pickle.dumps(variable)) == variable
    assert len({variable, Variable("x", ("a", 1, "b"))}) == 1


@pytest.mark.parametrize(
    ("states", "message"),
    [
        ((), "'x' has no states"),
        (("a", "b", "a"), "'x' has the state 'a' twice"),
        (("a", None), "the state None"),
        ((1.0, float("nan")), "the state nan"),
    ],
)
def test_impossible_states_are_refused(states: tuple[object, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Variable("x", states)  # type: ignore[arg-type]


def test_names_are_strings() -> None:
    with pytest.raises(TypeError, match="variable name 3 is a int"):
        Variable(3, ("a",))  # type: ignore[arg-type]


def test_an_unknown_state_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match=r"'x' has no state 'c'; its states are 'a', 'b'"):
        Variable("x", ("a", "b")).code("c")
