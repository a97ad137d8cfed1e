"""Properties that are computed once for each object, without a lock."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property as cached_property
else:

    class cached_property(functools.cached_property):
        """`functools.cached_property` as it is from Python 3.12 on, in Python 3.11 too: without a lock.

        The lock of Python 3.11 is one for all objects of a class. Threads would wait for each other there, and a
        process that is forked while a thread holds it could never read the property. Here two threads may compute the
        same value; both get the one that is stored first.

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
