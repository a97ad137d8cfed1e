"""A dictionary that may be copied at no cost, so that every state of a search can hold one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, TypeVar

K = TypeVar("K")
V = TypeVar("V")

_MISSING: Any = object()


class Ledger(Mapping[K, V]):
    """Dictionary without deletions whose copies share what was written before them.

    Every entry is noted in a list, and a copy remembers how long the list was. The copy that is written to first goes
    on with the list; another one that is written to later, or looked into, reads its part of the list again.

    Parameters
    ----------
    entries : mapping, optional

    Examples
    --------
    >>> before = Ledger({"a": 1})
    >>> after = before.copy()
    >>> after["a"] = 2
    >>> before["a"], after["a"]
    (1, 2)
    """

    __slots__ = ("_keys", "_now", "_size", "_values")

    def __init__(self, entries: Mapping[K, V] | None = None) -> None:
        self._start(dict(entries or {}))

    def _start(self, entries: dict[K, V]) -> None:
        self._now = entries
        self._keys = list(entries)
        self._values = list(entries.values())
        self._size = len(entries)

    def copy(self) -> Ledger[K, V]:
        """Independent copy."""
        other: Ledger[K, V] = Ledger.__new__(Ledger)
        other._now, other._keys, other._values, other._size = self._now, self._keys, self._values, self._size
        return other

    def to_dict(self) -> dict[K, V]:
        """Entries as a plain dictionary, also while another thread writes to a copy."""
        return dict(zip(islice(self._keys, self._size), islice(self._values, self._size), strict=True))

    def get(self, key: K, default: Any = None) -> Any:
        """Value of a key, or the default."""
        if self._size != len(self._values):  # a copy has gone on with the list
            self._start(self.to_dict())
        return self._now.get(key, default)

    def __getitem__(self, key: K) -> V:
        value: V = self.get(key, _MISSING)
        if value is _MISSING:
            raise KeyError(key)
        return value

    def __setitem__(self, key: K, value: V) -> None:
        if self._size != len(self._values):  # a copy has gone on with the list
            self._start(self.to_dict())
        self._now[key] = value
        self._keys.append(key)
        self._values.append(value)
        self._size += 1

    def __iter__(self) -> Iterator[K]:
        return iter(self.to_dict())

    def __len__(self) -> int:
        return len(self.to_dict())

    def __repr__(self) -> str:
        return f"Ledger({self.to_dict()!r})"

    def __reduce__(self) -> tuple[type[Ledger[K, V]], tuple[dict[K, V]]]:
        return Ledger, (self.to_dict(),)
