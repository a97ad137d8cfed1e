"""An analysis of user data from file to networks, as a value that is saved, reopened and exported as code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from bnlab._runtime.budget import check_memory
from bnlab._runtime.files import replace_file
from bnlab._runtime.values import NAMES, check_text, literal, one_of, shown, whole
from bnlab.analysis.preparation import Preparation, without
from bnlab.analysis.recipe import Recipe, source_of
from bnlab.analysis.study_json import FORMAT, study_parts
from bnlab.checkpoint import JSON_BYTES
from bnlab.data.file_format import FileFormat
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.graphs.equivalence import any_member, as_learned, shown_graph
from bnlab.graphs.pdag import Pdag

ROUNDING = 1e-9
_FINGERPRINT = re.compile("[0-9a-f]{64}")
_PLAIN_TITLE = re.compile(r"[^\W_]+(?:[ ,-]+[^\W_]+)*")


@dataclass(frozen=True)
class Study:
    """Source, preparation, recipes and results.

    Attributes
    ----------
    source : str
        Path or catalogue name for `bnlab.load_frame`; empty for a DataFrame from elsewhere.
    fingerprint : str
        That of the prepared table (`Table.fingerprint`), to detect other data; empty if unknown.
    preparation : Preparation
    recipes : mapping of str to Recipe
        Recipes by the names of their networks.
    graphs : mapping of str to Dag or Pdag
        Networks by name; a Pdag is an equivalence class. A network without a recipe was not learned by one algorithm.
    confidence : mapping of str to EdgeConfidence
        Edge confidence of some networks.
    bootstrap_seed : int
    stopped : tuple of str
        Networks whose search was stopped; their recipes may find better ones.
    file_format : FileFormat, optional
        Format of the source, if it is a text file or a spreadsheet; by default it is detected.

    Raises
    ------
    ValueError
        If a part has another type, a name is not text that a file can hold, the networks are on different variables, or
        a part names a network that does not exist; the message begins with the part.
    """

    source: str = ""
    fingerprint: str = ""
    preparation: Preparation = field(default_factory=Preparation)
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    graphs: Mapping[str, Dag | Pdag] = field(default_factory=dict)
    confidence: Mapping[str, EdgeConfidence] = field(default_factory=dict)
    bootstrap_seed: int = 0
    stopped: tuple[str, ...] = ()
    file_format: FileFormat | None = None

    def __post_init__(self) -> None:
        put = partial(object.__setattr__, self)
        put("source", check_text("source", self.source))
        put("fingerprint", check_text("fingerprint", self.fingerprint))
        if self.fingerprint and not _FINGERPRINT.fullmatch(self.fingerprint):
            raise ValueError(f"fingerprint = {shown(self.fingerprint)}: 64 hexadecimal digits, or nothing.")
        put("bootstrap_seed", whole(0).checked("bootstrap_seed", self.bootstrap_seed))
        put("recipes", _checked("recipes", self.recipes, Recipe))
        put("graphs", _checked("graphs", self.graphs, Dag, Pdag))
        put("confidence", _checked("confidence", self.confidence, EdgeConfidence))
        put("stopped", NAMES.checked("stopped", self.stopped))
        if self.file_format is not None and not isinstance(self.file_format, FileFormat):
            raise ValueError(f"file_format = {shown(self.file_format)}: a FileFormat is needed.")
        self._check_networks()
        put("graphs", {name: self._as_learned(name, graph) for name, graph in self.graphs.items()})

    def _check_networks(self) -> None:
        """Raise a ValueError if recipes, networks and confidences do not match."""
        for part, names, known, held in (
            ("recipes", self.recipes, self.graphs, "network"),
            ("confidence", self.confidence, self.graphs, "network"),
            ("stopped", self.stopped, self.recipes, "learned network"),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(f"{part}: {shown(name)} is the name of no {held}.")
        variables = set(next(iter(self.graphs.values())).names) if self.graphs else set()
        for name, graph in self.graphs.items():
            NAMES.checked(f"graphs[{shown(name)}].names", graph.names)
            if set(graph.names) != variables:
                raise ValueError(f"graphs[{shown(name)}].names: all networks are on the same variables.")
        for name, recipe in self.recipes.items():
            if unknown := sorted(recipe.variables - variables):
                raise ValueError(f"recipes[{shown(name)}].options: {shown(unknown[0])} is no variable of the network.")
        for name, found in self.confidence.items():
            _check_confidence(f"confidence[{shown(name)}]", found, variables)

    def _as_learned(self, name: str, graph: Dag | Pdag) -> Dag | Pdag:
        """Network that knows what data do not decide, as `bnlab.learn` returns it, which files do not hold."""
        if isinstance(graph, Pdag) or graph.undecided is not None or name not in self.recipes:
            return graph
        return as_learned(graph, self.recipes[name].knowledge)

    def with_result(self, name: str, recipe: Recipe | None, graph: Dag | Pdag, *, stopped: bool = False) -> Study:
        """Return a study with one more network, which replaces another one of that name.

        A network that was not learned, such as an average of others, has no recipe; `stopped` is whether its search was
        stopped.
        """
        known = self.without(name)
        return replace(
            known,
            recipes=known.recipes if recipe is None else {**known.recipes, name: recipe},
            graphs={**known.graphs, name: graph},
            stopped=(*known.stopped, name) if stopped else known.stopped,
        )

    def without(self, name: str) -> Study:
        """Return a study without one of its networks."""
        return replace(
            self,
            recipes=without(self.recipes, name),
            graphs=without(self.graphs, name),
            confidence=without(self.confidence, name),
            stopped=tuple(known for known in self.stopped if known != name),
        )

    def as_class(self, name: str) -> Dag | Pdag:
        """Return what data can say of a learned network: its essential graph, with the directions that its knowledge
        decides. A network that was not learned is returned as it is.
        """
        return shown_graph(self.graphs[name])

    @property
    def classes(self) -> dict[str, Dag | Pdag]:
        """Networks by name, each `as_class`."""
        return {name: self.as_class(name) for name in self.graphs}

    def save(self, path: str | Path) -> None:
        """Write a JSON file, which contains the name and the fingerprint of the data, but not the data."""
        replace_file(path, self.to_text())

    def to_text(self) -> str:
        """Return the content of the file that `save` writes."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False)

    @classmethod
    def open(cls, path: str | Path) -> Study:
        """Read a file written by `save`. Its content is never executed; only text and numbers become exported code.

        Raises
        ------
        ValueError
            If the file is not a valid study (the message names the field), or is too large for the memory.
        """
        check_memory(JSON_BYTES * Path(path).stat().st_size, f"the study in {path}", "take a smaller file")
        return cls.read(str(path), Path(path).read_bytes())

    @classmethod
    def read(cls, name: str, content: bytes) -> Study:
        """Read the content of a file with the given name; errors are those of `open`."""
        check_memory(JSON_BYTES * len(content), f"the study in {name}", "take a smaller file")
        try:
            return cls.from_json(json.loads(content.decode("utf-8")))
        except json.JSONDecodeError as error:
            raise ValueError(f"{name} is no saved session: line {error.lineno} is no JSON ({error.msg}).") from None
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{name} is no saved session: {str(error).rstrip('.')}.") from None

    def to_json(self) -> dict[str, Any]:
        """Return plain values for `from_json`."""
        return {
            "format": FORMAT,
            "source": self.source,
            **({} if self.file_format is None else {"file_format": asdict(self.file_format)}),
            "fingerprint": self.fingerprint,
            "preparation": asdict(self.preparation),
            "recipes": {name: asdict(recipe) for name, recipe in self.recipes.items()},
            "graphs": {name: _graph_json(graph) for name, graph in self.graphs.items()},
            "confidence": {
                name: {
                    "names": found.names,
                    "arcs": found.arcs.tolist(),
                    "graphs": found.graphs,
                    **({} if found.method == "bootstrap" else {"method": found.method}),
                }
                for name, found in self.confidence.items()
            },
            "bootstrap_seed": self.bootstrap_seed,
            "stopped": list(self.stopped),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Study:
        """Make a study from the values of `to_json`; ValueError, which names the field, for any other values."""
        return cls(**study_parts(content))

    def steps(self) -> list[tuple[str, str]]:
        """Return the steps in order, each as a line of Markdown and as Python code that repeats it."""
        arguments = "" if self.file_format is None else f", format=bnlab.data.{self.file_format!r}"
        source = f"bnlab.load_frame({literal(self.source)}{arguments})" if self.source else "...  # your DataFrame"
        imports = (
            "from functools import partial\n\nimport bnlab\nfrom bnlab.analysis import Preparation, describe_columns\n"
        )
        steps = [
            ("Read the data.", f"{imports}\nframe = {source}\ndescribe_columns(frame)\n"),
            ("Turn its columns into variables with states.", self.preparation.code() + "table\n"),
        ]
        if self.graphs:
            networks = "".join(f"    {literal(name)}: {self._network_code(name)},\n" for name in self.graphs)
            steps.append((self._network_words(), f"networks = {{\n{networks}}}\n"))
            steps.extend(
                (
                    f"Look at {_code_span(literal(name))}.",
                    f"bnlab.widgets.NetworkGraph({self._drawn_code(name)})\n",
                )
                for name in self.graphs
            )
            # Scores need complete rows, and a graph of each class.
            if not self.preparation.gaps and all(any_member(graph) is not None for graph in self.graphs.values()):
                steps.append(("Compare them under every score.", "bnlab.widgets.ScorePanel(table, networks)\n"))
        if len(self.graphs) > 1:
            agreement = "from bnlab.analysis import edge_agreement\n\nedge_agreement(networks)\n"
            steps.append(("Compare their edges.", agreement))
        steps.extend(self._bootstrap_step(name) for name in self.confidence if name in self.recipes)
        return steps

    def code(self) -> str:
        """Return a Python script of all steps."""
        return "\n".join(f"# {words}\n{code}" for words, code in self.steps())

    def notebook(self, title: str = "Analysis") -> dict[str, Any]:
        """Return a notebook of all steps, not executed, as the JSON of nbformat 4."""
        title = title.strip() or "Analysis"
        heading = title if _PLAIN_TITLE.fullmatch(title) else _code_span(repr(title)[1:-1])
        cells = [_cell("markdown", f"# {heading}")]
        for words, code in self.steps():
            cells += [_cell("markdown", words), _cell("code", code)]
        for number, cell in enumerate(cells):
            cell["id"] = f"step-{number}"
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}

    def _network_code(self, name: str) -> str:
        if name in self.recipes and name not in self.stopped:
            return self.recipes[name].code("table", self.preparation.gaps)
        graph = self.graphs[name]
        if isinstance(graph, Dag):
            return f"bnlab.Dag.from_edges(table.names, {literal(graph.edges)})"
        names, *pairs = graph.names, *map(sorted, (graph.directed, graph.undirected, graph.conflicts))
        return f"bnlab.graphs.Pdag({', '.join(map(literal, (names, *pairs)))})"

    def _drawn_code(self, name: str) -> str:
        """Arguments of `NetworkGraph`; with missing values the parameters come from expectation-maximisation."""
        graph, found = f"networks[{literal(name)}]", self.graphs[name]
        if isinstance(found, Pdag) and any_member(found) is not None:
            graph = f"bnlab.graphs.member({graph})"
        known = f"bnlab.networks.fit({graph}, table)" if self.preparation.gaps else f"{graph}, table"
        # What data cannot decide is not shown as a direction.
        is_class = name in self.recipes and any_member(found) is not None
        return f"{known}, show_essential=True" if is_class else known

    def _network_words(self) -> str:
        """Description of the step that learns networks, and of the networks that are given by their edges."""
        if not self.stopped:
            return "Learn networks."
        recipes = "; ".join(
            _code_span(f"{literal(name)}: {self.recipes[name].code('table', self.preparation.gaps)}")
            for name in self.stopped
        )
        return f"Learn networks. Searches that were stopped are given by the edges they had then ({recipes})."

    def _bootstrap_step(self, name: str) -> tuple[str, str]:
        found, recipe = self.confidence[name], self.recipes[name]
        if found.method != "bootstrap":
            options = "".join(f", {key}={source_of(value)}" for key, value in recipe.posterior.items())
            options += f", seed={literal(self.bootstrap_seed)}" if found.method == "mcmc" else ""
            code = f"bnlab.edge_probabilities(table, {literal(found.method)}{options}).edge_list()\n"
            return f"How probable are the edges of {_code_span(literal(name))} given the data?", code
        replicates, seed = literal(found.graphs), literal(self.bootstrap_seed)
        knowledge = ', knowledge=learner.keywords["knowledge"]' if recipe.knowledge is not None else ""
        arguments = recipe.for_samples.arguments(self.preparation.gaps)
        code = (
            "from bnlab.learners import Bootstrap\nfrom bnlab.search import run\n\n"
            f"learner = partial(bnlab.learn, algorithm={arguments})\n"
            f"confidence = run(Bootstrap(table, learner, replicates={replicates}, seed={seed}{knowledge}))\n"
            "confidence.edge_list()\n"
        )
        return f"How sure are the edges of {_code_span(literal(name))}?", code


def _graph_json(graph: Dag | Pdag) -> dict[str, Any]:
    if isinstance(graph, Dag):
        return {"names": graph.names, "edges": graph.edges} | (
            {"undecided": sorted(graph.undecided)} if graph.undecided else {}
        )
    edges = {"edges": graph.directed_edges, "undirected": graph.undirected_edges}
    return {"names": graph.names, **edges, "conflicts": graph.conflicting_edges}


def _checked(part: str, named: Mapping[str, Any], *kinds: type) -> dict[str, Any]:
    for name, value in named.items():
        if not isinstance(value, kinds):
            needed = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{part}[{shown(name)}] = {shown(value)}: a {needed} is needed.")
    return {check_text(f"{part}: a name", name): value for name, value in named.items()}


def _check_confidence(part: str, found: EdgeConfidence, variables: set[str]) -> None:
    one_of("bootstrap", "exact", "mcmc").checked(f"{part}.method", found.method)
    whole(0 if found.method == "exact" else 1).checked(f"{part}.graphs", found.graphs)
    if set(found.names) != variables:
        raise ValueError(f"{part}.names: they are not the variables of the network.")
    n = len(found.names)
    if found.arcs.shape != (n, n) or not (found.arcs >= 0).all() or np.diagonal(found.arcs).any():
        raise ValueError(f"{part}.arcs: {n} rows of {n} shares are needed, none below 0 and those of the diagonal 0.")
    if (found.strength > 1 + ROUNDING).any():
        raise ValueError(f"{part}.arcs: the shares of u -> v and v -> u add to more than 1.")


def _code_span(text: str) -> str:
    """Markdown that shows any printable text unchanged: nothing in it becomes markup, a link or a formula."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"{fence}{text}{fence}"


def _cell(kind: str, text: str) -> dict[str, Any]:
    results: dict[str, Any] = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, **results, "source": text.rstrip("\n")}
