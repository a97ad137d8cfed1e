"""Properties that are computed once for each object, without a lock."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """`functools.cached_property` without a lock, as in Python 3.12 and later, also in Python 3.11.

        In Python 3.11, all objects of a class share one lock. Threads would wait for each other, and a process that is
        forked while a thread holds the lock could never read the property. Here two threads may compute the same
        value; both get the one that is stored first.

        Examples
        --------
        >>> class Rows:
        ...     @cached_property
        ...     def number(self):
        ...         print("computed")
        ...         return 3
        >>> rows = Rows()
        >>> rows.number + rows.number
        computed
        6
        """

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            return vars(instance).setdefault(self.attrname, self.func(instance))
