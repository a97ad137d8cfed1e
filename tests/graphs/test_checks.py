"""Checks of names before they become a graph."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bnlab.graphs.checks import check_same_variables


class Counted(tuple[str, ...]):
    """Names that count how often they are gone through."""

    passes = 0

    def __iter__(self) -> Iterator[str]:
        self.passes += 1
        return super().__iter__()


def test_names_are_compared_in_passes_whose_number_does_not_grow() -> None:
    found, wanted = Counted(map(str, range(50))), Counted(map(str, range(49, -1, -1)))
    check_same_variables(found, wanted)
    assert found.passes <= 2
    assert wanted.passes <= 2


def test_names_on_one_side_only_are_told() -> None:
    with pytest.raises(ValueError, match=r"it lacks 'c'; it has 'a', which is not among them"):
        check_same_variables(["a", "b"], ["b", "c"])
