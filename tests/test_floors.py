"""Imports point down only: the contract that lets each layer of the library be read and used without those above."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

import bnlab

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
