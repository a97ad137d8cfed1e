"""A least-recently-used cache whose bound is stated in the unit of its values' size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from bnlab._runtime.fork import Locked

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Locked, Generic[K, V]):
    """Mapping that forgets what was used longest ago once the sizes of its values, by default 1 each, pass a bound.

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
        self._used = 0

    def _reset(self) -> None:
        self._values.clear()
        self._used = 0

    def __len__(self) -> int:
        return len(self._values)

    @property
    def used(self) -> int:
        """Sum of the sizes of the values kept."""
        return self._used

    def get(self, key: K) -> V | None:
        """Value of a key, now the most recently used; None when it is not kept."""
        with self._lock:
            value = self._values.get(key)
            if value is not None:
                self._values.move_to_end(key)
            return value

    def get_many(self, keys: Iterable[K]) -> dict[K, V]:
        """Those of the keys that are kept, with their values, now the most recently used."""
        with self._lock:
            kept = self._values
            found = {key: kept[key] for key in keys if key in kept} if kept else {}
            for key in found:
                kept.move_to_end(key)
            return found

    def find(self, keys: Sequence[K], make: Callable[[list[K]], list[V]]) -> list[V]:
        """Values of keys, in their order; those that are not kept are made together, and kept."""
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
        """Keep a value, and forget the longest unused ones beyond the bound."""
        self.put_many({key: value})

    def put_many(self, items: Mapping[K, V]) -> None:
        """Keep values, the last the most recently used, and forget the longest unused ones beyond the bound."""
        with self._lock:
            if self._size is None:
                self._put_alike(items)
            else:
                self._put_sized(items, self._size)

    def _put_alike(self, items: Mapping[K, V]) -> None:
        kept = self._values
        if kept:
            for key in kept.keys() & items.keys():
                kept.move_to_end(key)
        kept.update(items)
        while len(kept) > self.bound:
            kept.popitem(last=False)
        self._used = len(kept)

    def _put_sized(self, items: Mapping[K, V], size: Callable[[V], int]) -> None:
        for key, value in items.items():
            if size(value) > self.bound:
                continue
            if key in self._values:
                self._used -= size(self._values.pop(key))
            self._values[key] = value
            self._used += size(value)
        while self._used > self.bound:
            self._used -= size(self._values.popitem(last=False)[1])
