"""Imports point down only, so that each layer is read and used without those above; habits given up do not return."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import bnlab
from tests.test_security import faults

LIBRARY = Path(bnlab.__file__).parent

# From the top down; folders of one layer never import each other.
LAYERS = (
    {"commands"},
    {"papers"},
    {"widgets"},
    {"figures"},
    {"analysis"},
    {"classifiers", "dynamic"},
    {"learners"},
    {"skeletons"},
    {"scores", "citests", "networks"},
    {"counts"},
    {"engine"},
    {"data"},
)
BASE = {"checkpoint", "graphs", "search"}
HEIGHT = {name: height for height, layer in enumerate(reversed(LAYERS), start=1) for name in layer}
DISPLAY = {"plotly", "ipywidgets", "anywidget", "traitlets", "IPython", "tqdm", "matplotlib"}
SHOWS = {"commands", "papers", "widgets", "figures"}

MODULES = sorted(LIBRARY.rglob("*.py"))


def name_of(module: Path) -> str:
    """Folder or file at the top of the library that `module` belongs to; "__init__" for the front door."""
    return module.relative_to(LIBRARY).parts[0].removesuffix(".py")


def imports(tree: ast.Module, package: str) -> Iterator[str]:
    """Dotted names of all that a module of `package` imports, inside functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*parents, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def imports_at_load(tree: ast.Module) -> Iterator[str]:
    """First names of what is imported when the module is, apart from what only a type checker sees."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (name.split(".")[0] for name in imports(ast.Module([node], []), "bnlab"))


def may_import(importer: str, imported: str) -> bool:
    """Whether the part `importer` may use the part `imported` of the library.

    Both are names at the top of the library; "" is the library itself, the front door.
    """
    if importer in {"__init__", "__main__"} or imported == importer:
        return True
    if imported.startswith("_"):
        return imported not in {"__init__", "__main__"}
    if importer.startswith("_") or importer in BASE:
        return False
    return imported in BASE or HEIGHT.get(imported, len(LAYERS) + 1) < HEIGHT[importer]


def upward_imports(tree: ast.Module, importer: str, package: str) -> list[str]:
    """The imports of a module that the layers forbid."""
    found = []
    for name in imports(tree, package):
        parts = [*name.split("."), ""]
        if parts[0] == "bnlab" and not may_import(importer, parts[1]):
            found.append(name)
    return found


def place(module: Path) -> str:
    """Where a module is in the library."""
    return module.relative_to(LIBRARY).as_posix()


@cache
def tree_of(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


@cache
def nodes_of(module: Path) -> tuple[ast.AST, ...]:
    """All nodes of the syntax of a module."""
    return tuple(ast.walk(tree_of(module)))


@cache
def imported_by(module: Path) -> set[str]:
    """Dotted names of all that a module imports."""
    return set(imports(tree_of(module), package_of(module)))


def package_of(module: Path) -> str:
    return ".".join(["bnlab", *module.relative_to(LIBRARY).parent.parts])


def parts() -> set[str]:
    return {name_of(module) for module in MODULES}


def test_every_part_of_the_library_is_in_a_known_layer() -> None:
    unknown = {name for name in parts() if not name.startswith("_")} - set(HEIGHT) - BASE
    assert not unknown, f"give {unknown} a place in LAYERS here and in CONTRIBUTING.md"


def test_imports_point_down_only() -> None:
    upward = {place(module): upward_imports(tree_of(module), name_of(module), package_of(module)) for module in MODULES}
    assert {module: names for module, names in upward.items() if names} == {}, "a part may not import these"


def test_what_computes_never_imports_what_shows() -> None:
    computing = [module for module in MODULES if name_of(module) not in SHOWS]
    shown = {place(module): {name.split(".")[0] for name in imported_by(module)} & DISPLAY for module in computing}
    assert {module: names for module, names in shown.items() if names} == {}, "move it to figures or widgets"


def test_only_the_front_door_imports_by_a_name_in_a_string() -> None:
    # The second looks below the package that asks, never elsewhere.
    others = [module for module in MODULES if place(module) not in {"__init__.py", "_runtime/lazy.py"}]
    found = [place(module) for module in others if imported_by(module) & {"importlib", "importlib.import_module"}]
    assert found == [], "such an import would escape the other tests"


@pytest.mark.parametrize("name", sorted(BASE))
def test_the_lowest_layer_imports_numpy_alone(name: str) -> None:
    loaded = {
        imported for module in MODULES if name_of(module) == name for imported in imports_at_load(tree_of(module))
    }
    assert loaded <= {"numpy", "bnlab", *sys.stdlib_module_names}


@pytest.mark.parametrize(
    ("source", "importer", "upward"),
    [
        ("from bnlab.counts import family", "scores", []),
        ("from bnlab.graphs.dag import Dag", "data", []),
        ("from bnlab._runtime.names import nearest", "graphs", []),
        ("from bnlab.scores.local import LocalScore", "scores", []),
        ("def f():\n    from bnlab import figures", "learners", ["bnlab.figures"]),
        ("if TYPE_CHECKING:\n    from bnlab.networks import network", "scores", ["bnlab.networks.network"]),
        ("from ..skeletons import hpc", "learners", []),
        ("from ..learners import trees", "skeletons", ["bnlab.learners.trees"]),
        ("from . import trees", "learners", []),
        ("from bnlab.papers import experiments", "widgets", ["bnlab.papers.experiments"]),
        ("from bnlab import learn", "papers", ["bnlab.learn"]),
        ("import bnlab", "figures", ["bnlab"]),
        ("import bnlab", "__main__", []),
        ("from bnlab import __main__", "figures", ["bnlab.__main__"]),
        ("import bnlab.data.table", "graphs", ["bnlab.data.table"]),
        ("from bnlab.data import table", "_names", ["bnlab.data.table"]),
    ],
)
def test_allowed_imports_are_told_from_forbidden_ones(source: str, importer: str, upward: list[str]) -> None:
    assert upward_imports(ast.parse(source), importer, f"bnlab.{importer}") == upward


def modules_imported(module: Path) -> set[str]:
    """Modules of the library that one of them imports, inside functions and for type checking too."""
    found = set()
    for name in imported_by(module):
        whole = name.split(".")
        for parts in (whole, whole[:-1]):
            path = LIBRARY.joinpath(*parts[1:])
            if parts and parts[0] == "bnlab" and (path.with_suffix(".py").is_file() or path.is_dir()):
                found.add(".".join(parts))
                break
    return found


def test_files_form_no_import_cycle() -> None:
    names = {module: ".".join(["bnlab", *module.relative_to(LIBRARY).with_suffix("").parts]) for module in MODULES}
    names = {module: name.removesuffix(".__init__") for module, name in names.items()}
    graph = nx.DiGraph((name, other) for module, name in names.items() for other in modules_imported(module))
    graph.remove_node("bnlab")  # the front door, which imports names when they are first used
    cycles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    assert not cycles


Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def functions() -> list[tuple[Path, Function]]:
    """Every function and method of the library, with its file."""
    return [(module, node) for module in MODULES for node in nodes_of(module) if isinstance(node, Function)]


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
        if isinstance(node, ast.ClassDef) and not any("Protocol" in ast.unparse(base) for base in node.bases)
    }


def height(name: str) -> int:
    """Number of classes of the library in the longest chain from a class to its bases."""
    return (
        1 + max((height(base) for base in bases().get(name, ()) if base != name), default=0) if name in bases() else 0
    )


def long_chains() -> list[str]:
    """Classes with more than 3 classes of the library in a chain of inheritance."""
    return [name for name in bases() if height(name) > 3]


LOCKS = {("threading", "Lock"), ("threading", "RLock"), ("threading", "Condition"), ("functools", "cached_property")}


def locks() -> list[str]:
    """Locks that may stay locked in a forked process, where `Locked` and `cached_property` of _runtime do not.

    Widgets have locks of their own, but no process without their page uses a widget.
    """
    found = []
    for module in MODULES:
        if place(module) not in {"_runtime/fork.py", "_runtime/cached.py"} and name_of(module) != "widgets":
            for node in nodes_of(module):
                names = [(node.module, alias.name) for alias in node.names] if isinstance(node, ast.ImportFrom) else []
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    names = [(node.value.id, node.attr)]
                found += [f"{place(module)}: {name[1]}" for name in names if name in LOCKS]
    return found


def insecure() -> list[str]:
    """What SECURITY.md says that no module does.

    The command line may start Python: ``bnlab lab`` compiles in a process of its own, from a constant command.
    """
    found = [f"{place(module)}, {fault}" for module in MODULES for fault in faults(nodes_of(module))]
    return [one for one in found if not re.fullmatch(r"__main__\.py, line \d+: import of subprocess", one)]


def full_folders() -> list[str]:
    """Folders with more than 22 Python files."""
    files = Counter(place(module).rpartition("/")[0] for module in MODULES)
    return [f"{folder}: {number}" for folder, number in files.items() if number > 22]


HABITS = {
    "files that import numba outside engine/": numba_outside_engine,
    "compiled functions outside engine/": compiled_outside_engine,
    "files with llvmlite, ctypes or addresses": addresses,
    "functions of more than 8 parameters": many_parameters,
    "compiled functions of more than 60 lines": long_compiled,
    "numbers written out as arguments of compiled functions": written_out,
    "getattr and hasattr probes": probes,
    "underscore names of other objects": others_names,
    "classes above 3 levels of inheritance": long_chains,
    "locks that a fork may leave locked": locks,
    "code or pickles from files, archives unpacked": insecure,
    "folders of more than 22 files": full_folders,
}


@pytest.mark.parametrize("habit", HABITS)
def test_a_habit_that_the_design_gives_up_does_not_return(habit: str) -> None:
    assert HABITS[habit]() == []


def test_the_library_is_found() -> None:
    assert len(MODULES) > 200
    assert (LIBRARY / "engine").is_dir()
