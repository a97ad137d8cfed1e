"""What exported code does, read from its syntax alone: anything that such code has no need of is an error."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

from bnlab.analysis import Preparation, Recipe, Study
from bnlab.data import FileFormat

NODES = (
    ast.Module, ast.Import, ast.ImportFrom, ast.alias, ast.Assign, ast.Expr, ast.Call, ast.keyword, ast.Attribute,
    ast.Subscript, ast.Name, ast.Load, ast.Store, ast.Constant, ast.Tuple, ast.Dict, ast.UnaryOp, ast.USub,
)  # fmt: skip
CALLS = {
    "bnlab.load_frame", "describe_columns", "Preparation", "preparation.apply", "bnlab.learn", "bnlab.Dag.from_edges",
    "bnlab.widgets.NetworkGraph", "bnlab.widgets.ScorePanel", "edge_agreement", "partial", "Bootstrap", "run",
    "confidence.edge_list", "bnlab.data.FileFormat",
}  # fmt: skip
NAMES = {
    "bnlab", "frame", "preparation", "table", "networks", "learner", "confidence", "describe_columns", "Preparation",
    "edge_agreement", "partial", "Bootstrap", "run",
}  # fmt: skip
ATTRIBUTES = {
    "load_frame", "apply", "learn", "Dag", "from_edges", "widgets", "NetworkGraph", "ScorePanel", "edge_list", "names",
    "data", "FileFormat",
}  # fmt: skip
IMPORTS = {
    "from functools import partial",
    "import bnlab",
    "from bnlab.analysis import Preparation, describe_columns",
    "from bnlab.analysis import edge_agreement",
    "from bnlab.learners import Bootstrap",
    "from bnlab.search import run",
}


class Reference(NamedTuple):
    """A name in code, which is no string there."""

    name: str


class Exported(NamedTuple):
    """What exported code reads, prepares, learns and shows."""

    source: Any
    file_format: FileFormat | None
    preparation: Preparation
    networks: dict[str, Recipe | tuple[tuple[str, str], ...]]
    looked_at: list[str]
    bootstraps: list[tuple[Recipe, int, int]]


def read(code: str) -> Exported:
    """Read code; an AssertionError when it does more than such code has to, a SyntaxError when it is none."""
    compile(code, "exported", "exec")
    tree = ast.parse(code)
    for node in ast.walk(tree):
        _check(node)
    assigned: dict[str, list[ast.expr]] = {}
    looked_at: list[str] = []
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                assigned.setdefault(name, []).append(value)
            case ast.Expr(value=ast.Call(args=[ast.Subscript(slice=ast.Constant(value=name)), _])):
                looked_at.append(name)
    (frame,), (preparation,) = assigned["frame"], assigned["preparation"]
    (networks,) = assigned.get("networks", [ast.Dict([], [])])
    assert isinstance(networks, ast.Dict)
    runs = zip(assigned.get("learner", ()), assigned.get("confidence", ()), strict=True)
    return Exported(
        *(_source(frame) if isinstance(frame, ast.Call) else (ast.literal_eval(frame), None)),
        Preparation(**_values(preparation)[1]),
        {ast.literal_eval(key): _network(value) for key, value in zip(networks.keys, networks.values, strict=True)},
        looked_at,
        [_bootstrap(learner, confidence) for learner, confidence in runs],
    )


def meant(study: Study) -> Exported:
    """What the code of a study has to do."""
    return Exported(
        study.source or ...,
        study.file_format if study.source else None,
        study.preparation,
        {
            name: graph.edges if name in study.stopped or name not in study.recipes else study.recipes[name]
            for name, graph in study.graphs.items()
        },
        list(study.graphs),
        [
            (study.recipes[name], found.graphs, study.bootstrap_seed)
            for name, found in study.confidence.items()
            if name in study.recipes
        ],
    )


def _check(node: ast.AST) -> None:
    assert isinstance(node, NODES), f"{type(node).__name__}: {ast.unparse(node)}"
    match node:
        case ast.Import() | ast.ImportFrom():
            assert ast.unparse(node) in IMPORTS
        case ast.Call(func=function):
            assert ast.unparse(function) in CALLS
        case ast.Name(id=name):
            assert name in NAMES
        case ast.Attribute(attr=name):
            assert name in ATTRIBUTES


def _source(frame: ast.Call) -> tuple[Any, FileFormat | None]:
    (source,) = frame.args
    formats = [FileFormat(**_values(keyword.value)[1]) for keyword in frame.keywords if keyword.arg == "format"]
    assert len(formats) == len(frame.keywords)
    return ast.literal_eval(source), *(formats or [None])


def _network(node: ast.expr) -> Recipe | tuple[tuple[str, str], ...]:
    assert isinstance(node, ast.Call)
    arguments, options = _values(node)
    if ast.unparse(node.func) == "bnlab.Dag.from_edges":
        names, edges = arguments
        assert names == Reference("table.names")
        return tuple(edges)
    table, algorithm = arguments
    assert table == Reference("table")
    return _recipe(algorithm, options)


def _bootstrap(learner: ast.expr, confidence: ast.expr) -> tuple[Recipe, int, int]:
    arguments, options = _values(learner)
    assert arguments == [Reference("bnlab.learn")]
    assert isinstance(confidence, ast.Call)
    ran, numbers = _values(confidence.args[0])
    assert ran == [Reference("table"), Reference("learner")]
    return _recipe(options.pop("algorithm"), options), numbers["replicates"], numbers["seed"]


def _recipe(algorithm: str, options: dict[str, Any]) -> Recipe:
    return Recipe(algorithm, options.pop("score", None), options)


def _values(node: ast.expr) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of a call: plain values, and names as they stand."""
    assert isinstance(node, ast.Call)
    return [_value(item) for item in node.args], {str(item.arg): _value(item.value) for item in node.keywords}


def _value(node: ast.expr) -> Any:
    return Reference(ast.unparse(node)) if isinstance(node, ast.Name | ast.Attribute) else ast.literal_eval(node)
