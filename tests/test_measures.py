"""What may not grow: numbers of habits that the design gives up. A limit only falls; at 0 the habit is gone."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.test_floors import LIBRARY, MODULES, imported_by, name_of, nodes_of, place

LIMITS = {
    "files that import numba outside engine/": 0,
    "compiled functions outside engine/": 0,
    "files with llvmlite, ctypes or addresses": 0,
    "functions of more than 8 parameters": 0,
    "compiled functions of more than 60 lines": 0,
    "numbers written out as arguments of compiled functions": 0,
    "getattr and hasattr probes": 0,
    "underscore names of other objects": 0,
    "classes above 3 levels of inheritance": 0,
    "folders of more than 22 files": 0,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions() -> Iterator[tuple[Path, Function]]:
    """Every function and method of the library, with its file."""
    for module in MODULES:
        yield from ((module, node) for node in nodes_of(module) if isinstance(node, Function))


def is_compiled(function: Function) -> bool:
    """Whether numba compiles a function."""
    names = {node.id for mark in function.decorator_list for node in ast.walk(mark) if isinstance(node, ast.Name)}
    return not names.isdisjoint({"compiled", "inner", "njit", "numba"})


def numba_outside_engine() -> list[str]:
    """Files that import numba elsewhere than in engine/."""
    others = [module for module in MODULES if name_of(module) != "engine"]
    return [place(module) for module in others if "numba" in {name.split(".")[0] for name in imported_by(module)}]


def compiled_outside_engine() -> list[str]:
    """Compiled functions elsewhere than in engine/."""
    return [f"{place(m)}: {f.name}" for m, f in functions() if name_of(m) != "engine" and is_compiled(f)]


def addresses() -> list[str]:
    """Files that import llvmlite or ctypes, or read the address of an array."""
    found = []
    for module in MODULES:
        reads = {node.attr for node in nodes_of(module) if isinstance(node, ast.Attribute)}
        if reads & {"ctypes"} or {name.split(".")[0] for name in imported_by(module)} & {"llvmlite", "ctypes"}:
            found.append(place(module))
    return found


def many_parameters() -> list[str]:
    """Functions of more than 8 parameters."""
    found = []
    for module, function in functions():
        names = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        if sum(name.arg not in {"self", "cls"} for name in names) > 8:
            found.append(f"{place(module)}: {function.name}")
    return found


def long_compiled() -> list[str]:
    """Compiled functions of more than 60 lines, without their docstrings."""
    found = []
    for module, function in functions():
        first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
        if is_compiled(function) and (function.end_lineno or 0) - first.lineno + 1 > 60:
            found.append(f"{place(module)}: {function.name}")
    return found


def written_out() -> list[str]:
    """Calls of compiled functions with whole numbers or truth values, for each of which numba compiles once more."""
    names = {function.name for _, function in functions() if is_compiled(function)}
    found = []
    for module, function in functions():
        for call in ast.walk(function) if is_compiled(function) else ():
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in names:
                given = [part for a in call.args for part in (a.elts if isinstance(a, ast.Tuple) else [a])]
                values = [a.operand if isinstance(a, ast.UnaryOp) else a for a in given]
                if any(isinstance(value, ast.Constant) and isinstance(value.value, int) for value in values):
                    found.append(f"{place(module)}:{call.lineno}")
    return found


def probes() -> list[str]:
    """Calls of getattr with a default, and of hasattr, apart from questions about the operating system."""
    found = []
    for module in MODULES:
        for node in nodes_of(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name, given = node.func.id, node.args
                of_the_system = ast.unparse(given[0]) == "os" if given else False
                if not of_the_system and (name == "hasattr" or (name == "getattr" and len(given) > 2)):
                    found.append(f"{place(module)}:{node.lineno}")
    return found


PROTOCOLS = {
    *("_replace", "_asdict", "_fields", "_make"),  # of named tuples
    *("_at_fork_reinit", "_exit", "_repr_mimebundle_"),  # of Python and IPython
    *("_validate", "_trait_from_json", "_msg_callbacks"),  # of traitlets and ipywidgets, which have no others
    "_get_param_names",  # of scikit-learn, for its estimators
}
"""Names of other packages that begin with an underscore though others are to use them."""


def own_names(made: ast.ClassDef) -> set[str]:
    """Names with an underscore that a class itself defines, as methods or as attributes."""
    names = {node.name for node in made.body if isinstance(node, ast.FunctionDef)}
    names |= {
        node.target.id for node in made.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    for node in ast.walk(made):
        is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_set and isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}:
            names.add(node.attr)
    return names


def others_names() -> list[str]:
    """Uses of an underscore name outside the class that defines it, also in a class that inherits it."""
    found = []
    for module in MODULES:
        classes = [node for node in nodes_of(module) if isinstance(node, ast.ClassDef)]
        within = {id(node): names for made in classes for names in [own_names(made)] for node in ast.walk(made)}
        for node in nodes_of(module):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_") or node.attr.startswith("__"):
                continue
            of_a_base = isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "super"
            if node.attr not in PROTOCOLS | within.get(id(node), set()) and not of_a_base:
                found.append(f"{place(module)}:{node.lineno}: {node.attr}")
    return found


@cache
def bases() -> dict[str, list[str]]:
    """Names of the bases of each class of the library, without type parameters; a Protocol is no base."""
    return {
        node.name: [ast.unparse(base).split("[")[0].split(".")[-1] for base in node.bases]
        for module in MODULES
        for node in nodes_of(module)
        if isinstance(node, ast.ClassDef) and "Protocol" not in ast.unparse(node)[: ast.unparse(node).index(":")]
    }


def height(name: str) -> int:
    """Number of classes of the library in the longest chain from a class to its bases."""
    return (
        1 + max((height(base) for base in bases().get(name, ()) if base != name), default=0) if name in bases() else 0
    )


def long_chains() -> list[str]:
    """Classes with more than 3 classes of the library in a chain of inheritance."""
    return [name for name in bases() if height(name) > 3]


def full_folders() -> list[str]:
    """Folders with more than 22 Python files."""
    files = Counter(place(module).rpartition("/")[0] for module in MODULES)
    return [f"{folder}: {number}" for folder, number in files.items() if number > 22]


MEASURES = {
    "files that import numba outside engine/": numba_outside_engine,
    "compiled functions outside engine/": compiled_outside_engine,
    "files with llvmlite, ctypes or addresses": addresses,
    "functions of more than 8 parameters": many_parameters,
    "compiled functions of more than 60 lines": long_compiled,
    "numbers written out as arguments of compiled functions": written_out,
    "getattr and hasattr probes": probes,
    "underscore names of other objects": others_names,
    "classes above 3 levels of inheritance": long_chains,
    "folders of more than 22 files": full_folders,
}


@pytest.mark.parametrize("habit", MEASURES)
def test_a_habit_that_goes_does_not_grow(habit: str) -> None:
    found = MEASURES[habit]()
    assert len(found) <= LIMITS[habit], f"{len(found)} {habit}, at most {LIMITS[habit]}:\n" + "\n".join(found)


def test_the_library_is_found() -> None:
    assert len(MODULES) > 200
    assert (LIBRARY / "engine").is_dir()
