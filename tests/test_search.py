"""A search run whole, or stopped and taken up again, ends in the same state."""

from dataclasses import dataclass

from bnlab.search import iterate, run


@dataclass(frozen=True)
class Collatz:
    """Steps until 1: small enough to know the answer."""

    start: int

    def init(self):
        return self.start, 0

    def step(self, state):
        n, steps = state
        return ((n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1), {"n": n}

    def is_done(self, state):
        return state[0] == 1

    def result(self, state):
        return state[1]


def test_a_search_runs_to_its_end():
    assert run(Collatz(27)) == 111


def test_every_step_is_seen_once():
    assert [info["n"] for _, info in iterate(Collatz(6))] == [6, 3, 10, 5, 16, 8, 4, 2]


def test_a_search_that_is_done_at_the_start_has_no_steps():
    assert list(iterate(Collatz(1))) == []
    assert run(Collatz(1)) == 0
