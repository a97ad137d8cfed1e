"""Least-recently-used cache with a bound on the total size of its values."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from bnlab._runtime.fork import Locked

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Locked, Generic[K, V]):
    """Mapping that removes the least recently used values when their total size, by default 1 each, exceeds a bound.

    Attributes
    ----------
    used : int
        Total size of the cached values.

    Examples
    --------
    >>> cache = BoundedCache(2)
    >>> for key in "abc":
    ...     cache.put(key, key.upper())
    >>> cache.get("a") is None, cache.get("c")
    (True, 'C')
    """

    def __init__(self, bound: int, size: Callable[[V], int] | None = None) -> None:
        super().__init__()
        self.bound = bound
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self.used = 0

    def _reset(self) -> None:
        self._values.clear()
        self.used = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        """Value of a key, which becomes the most recently used; None if it is not cached."""
        with self.lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """Cached keys and their values, which become the most recently used."""
        with self.lock:
            values = self._values
            found = {key: values[key] for key in keys if key in values} if values else {}
            for key in found:
                values.move_to_end(key)
            return found

    def find(self, keys: Sequence[K], make: Callable[[list[K]], list[V]]) -> list[V]:
        """Values of keys, in their order; missing values are computed in one call of `make` and cached."""
        found = self.get_many(keys)
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            made = make(missing)
            fresh = dict(zip(missing, made, strict=True))
            self.put_many(fresh)
            if len(made) == len(keys):
                return made
            found |= fresh
        return [found[key] for key in keys]

    def put(self, key: K, value: V) -> None:
        """Cache a value, and remove the least recently used ones beyond the bound."""
        self.put_many({key: value})

    def put_many(self, items: Mapping[K, V]) -> None:
        """Cache values, the last as the most recently used; remove the least recently used ones beyond the bound."""
        with self.lock:
            if self._size is None:
                self._put_by_number(items)
            else:
                self._put_by_size(items, self._size)

    def _put_by_number(self, items: Mapping[K, V]) -> None:
        values = self._values
        if values:
            for key in values.keys() & items.keys():
                values.move_to_end(key)
        values.update(items)
        while len(values) > self.bound:
            values.popitem(last=False)
        self.used = len(values)

    def _put_by_size(self, items: Mapping[K, V], size: Callable[[V], int]) -> None:
        for key, value in items.items():
            if size(value) > self.bound:
                continue
            if key in self._values:
                self.used -= size(self._values.pop(key))
            self._values[key] = value
            self.used += size(value)
        while self.used > self.bound:
            self.used -= size(self._values.popitem(last=False)[1])
