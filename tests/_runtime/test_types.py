"""Values are compared with the types that classes declare."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import bnlab
from bnlab._runtime.types import field_types, fits
from bnlab.citests.tester import Ledger
from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.learners.chen.state import ChenState
from bnlab.scores.structure_prior import DifferencePrior

FITTING = [
    (3, int), (np.int8(3), int), (True, bool), (np.True_, bool), (3, float), (0.5, float), (np.float32(0.5), float),
    ("a", str), (None, None), (None, int | None), (object(), Any), ("a", Hashable),
    ((), tuple[int, ...]), ((1, 2), tuple[int, ...]), ((1, "a"), tuple[int, str]),
    (((1,), ()), tuple[tuple[int, ...], ...]),
    ([1.0], list[float]), ([1.0], Sequence[float]), (frozenset({(1, 2)}), frozenset[tuple[int, int]]),
    ({"a": (1,)}, Mapping[str, tuple[int, ...]]), (Ledger({(0, 1): 0.5}), Ledger[tuple[int, int], float]),
    ("holdout", Literal["holdout", "cv5"]), (np.zeros(2), NDArray[np.float64]), (np.zeros(2, bool), NDArray[np.bool_]),
    (np.zeros(2, np.int16), NDArray[np.signedinteger[Any]]), (np.zeros(2), NDArray[Any]), (np.zeros(2), np.ndarray),
    ([0.5], ArrayLike), (Variable("a", ("x",)), Variable), (Variable("a", ("x",)), "Dag | Variable"),
    (None, "Dag | None"),
]  # fmt: skip
OTHERS = [
    (True, int), (1, bool), (0.5, int), ("1", int), (np.float64(1), int), (1j, float), (b"a", str), (0, None),
    ("a", int | None),
    ([], Hashable), ([1], tuple[int, ...]), ((1, "a"), tuple[int, ...]), ((1,), tuple[int, str]),
    ((1, 2, 3), tuple[int, int]),
    ("ab", Sequence[str]), ("ab", Iterable[str]), ([1, None], list[int]), ({1: (1,)}, Mapping[str, tuple[int, ...]]),
    ({"a": 1}, Ledger[str, int]), ("cv", Literal["holdout", "cv5"]), (1, Literal[True]), ([0.5], NDArray[np.float64]),
    (np.zeros(2, np.float32), NDArray[np.float64]), (np.zeros(2, ">f8"), NDArray[np.float64]),
    (0.5, NDArray[np.float64]), (Variable("a", ("x",)), "Dag"), (Variable("a", ("x",)), str), (1, Callable[[int], int]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "hint"), FITTING)
def test_these_values_are_of_their_type(value: object, hint: Any) -> None:
    assert fits(value, hint)


@pytest.mark.parametrize(("value", "hint"), OTHERS)
def test_these_values_are_not(value: object, hint: Any) -> None:
    assert not fits(value, hint)


def test_the_types_of_every_class_are_known() -> None:
    modules = [importlib.import_module(module.name) for module in pkgutil.walk_packages(bnlab.__path__, "bnlab.")]
    classes = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    ours = [kind for kind in classes if kind.__module__.startswith("bnlab.")]
    data_classes = [kind for kind in ours if is_dataclass(kind) or hasattr(kind, "_fields")]
    strings = {kind for kind in data_classes for hint in field_types(kind).values() if isinstance(hint, str)}
    computing = {kind for kind in strings if kind.__module__.split(".")[1] not in ("figures", "widgets")}
    # Of one of these a file can hold a value, ChenState; the others need a table, a function or trees, or hold frames.
    found = {kind.__name__ for kind in computing if "phi" not in field_types(kind)}
    assert found == {"Bootstrap", "ChenState", "FileRead", "Latest", "Policy"}
    assert field_types(ChenState) == {"net": "Instance", "decisions": "Decisions"}
    assert field_types(DifferencePrior) == {"kappa": float, "prior": Dag | None}
