"""Checks of values against the types that the classes of the library declare for their fields."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import SimpleNamespace, UnionType
from typing import Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

_NUMBERS: dict[Any, tuple[type, ...]] = {
    bool: (bool, np.bool_),
    int: (int, np.integer),
    float: (float, int, np.floating, np.integer),
    complex: (complex, float, int, np.number),
}


@cache
def field_types(kind: Any) -> dict[str, Any]:
    """Declared type of each field with which a dataclass or NamedTuple is created.

    A type stays a string if only a type checker can resolve its name.
    """
    names = [f.name for f in fields(kind) if f.init] if is_dataclass(kind) else list(kind._fields)
    types: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        known = vars(sys.modules[base.__module__])
        hints = vars(base).get("__annotations__", {})
        for name in hints.keys() & set(names):
            hint = hints[name]
            try:
                types[name] = get_type_hints(SimpleNamespace(__annotations__={name: hint}), known)[name]
            except (NameError, TypeError):
                types[name] = hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint
    return {name: types[name] for name in names}


def fits(value: Any, hint: Any) -> bool:
    """Whether a value, and everything that it contains, has the declared type.

    NumPy numbers count as numbers and integers as floats; booleans do not count as numbers.

    Examples
    --------
    >>> fits((1, 2), tuple[int, ...]), fits((1, "a"), tuple[int, ...]), fits(None, str | None)
    (True, False, True)
    """
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if hint is None:
        return value is None
    if isinstance(hint, str):
        return ("None" if value is None else type(value).__name__) in hint.split(" | ")
    kind, inside = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, one) for one in inside)
    if kind is Literal:
        return any(type(value) is type(one) and value == one for one in inside)
    if kind in _NUMBERS:
        return isinstance(value, _NUMBERS[kind]) and (kind is bool or not isinstance(value, (bool, np.bool_)))
    try:
        if not isinstance(value, kind) or (inside and isinstance(value, str)):
            return False
    except TypeError:  # a protocol, against which instances cannot be checked
        return False
    return _fits_inside(value, inside)


def _fits_inside(value: Any, inside: tuple[Any, ...]) -> bool:
    if not inside:
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.isnative and _is_scalar(value.dtype.type, *get_args(inside[-1]))
    if isinstance(value, tuple) and (len(inside) != 2 or inside[1] is not Ellipsis) and len(inside) != 1:
        return len(value) == len(inside) and all(map(fits, value, inside))
    if isinstance(value, Mapping):
        return all(fits(key, inside[0]) and fits(item, inside[1]) for key, item in value.items())
    return all(fits(item, inside[0]) for item in value)


def _is_scalar(found: type, hint: Any = Any) -> bool:
    if get_origin(hint) in (Union, UnionType):
        return any(_is_scalar(found, one) for one in get_args(hint))
    kind = get_origin(hint) or hint
    return not isinstance(kind, type) or kind is Any or issubclass(found, kind)
