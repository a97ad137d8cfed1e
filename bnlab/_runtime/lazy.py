"""Names of a package that are imported at their first use (SPEC 1)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def attach(package: str, path: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package, made from the imports of its own modules in its file.

    Examples
    --------
    >>> import bnlab.counts
    >>> get, names = attach("bnlab.counts", bnlab.counts.__file__)
    >>> get("MemorySource").__name__, "MemorySource" in names()
    ('MemorySource', True)
    """
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    own = [(node.module, node.names) for node in imports if f"{node.module}.".startswith(f"{package}.")]
    homes = {alias.asname or alias.name: str(module) for module, names in own for alias in names}

    def __getattr__(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if homes[name] == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return __getattr__, __dir__
