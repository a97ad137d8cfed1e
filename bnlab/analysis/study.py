"""One analysis of one's own data, from file to networks: a value that is saved, reopened and written as code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab._runtime.budget import MemoryBudget, check_memory
from bnlab.analysis.preparation import Preparation
from bnlab.checkpoint import JSON_BYTES, replace_file
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag
from bnlab.learners import learn, make_search

if TYPE_CHECKING:
    from bnlab.data.table import Table
    from bnlab.learners.trees import ParentTuples
    from bnlab.search import Search

FORMAT = "bnlab study 1"


@dataclass(frozen=True)
class Recipe:
    """How a network is learned: the arguments of `bnlab.learn`.

    Attributes
    ----------
    algorithm : str
    score : str, optional
        By default that of the algorithm.
    options : mapping of str
        Options of the algorithm and parameters of the score: numbers, strings, and lists of them.

    Examples
    --------
    >>> Recipe("hill-climbing", "bdeu", {"ess": 4}).code("table")
    "bnlab.learn(table, 'hill-climbing', score='bdeu', ess=4)"
    """

    algorithm: str = "hill-climbing"
    score: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def learn(self, table: Table) -> Dag:
        """Learn a network; raises as `bnlab.learn` does."""
        return learn(table, self.algorithm, score=self.score, **self.options)

    def search(self, table: Table) -> Search[Any, Any, ParentTuples]:
        """Search that learns it (see `bnlab.learners.make_search`)."""
        return make_search(table, self.algorithm, score=self.score, **self.options)

    def code(self, table: str) -> str:
        """Python call that does it."""
        options = {} if self.score is None else {"score": self.score}
        named = "".join(f", {name}={value!r}" for name, value in {**options, **self.options}.items())
        return f"bnlab.learn({table}, {self.algorithm!r}{named})"


@dataclass(frozen=True)
class Study:
    """Source, preparation, recipes, and what came of them.

    Attributes
    ----------
    source : str
        Path or catalogue name that `bnlab.load_frame` takes; empty for a DataFrame that came from elsewhere.
    fingerprint : str
        Of the prepared table (`Table.fingerprint`), so that other data are noticed; empty when not known.
    preparation : Preparation
    recipes : mapping of str to Recipe
        By the names that a person gave.
    graphs : mapping of str to Dag
        What the recipes of the same names found; one without a recipe was made in another way.
    confidence : mapping of str to EdgeConfidence
        What the bootstrap says of them.
    bootstrap_seed : int
    stopped : tuple of str
        Networks whose search somebody stopped, so that their recipe may find better ones.
    """

    source: str = ""
    fingerprint: str = ""
    preparation: Preparation = field(default_factory=Preparation)
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    graphs: Mapping[str, Dag] = field(default_factory=dict)
    confidence: Mapping[str, EdgeConfidence] = field(default_factory=dict)
    bootstrap_seed: int = 0
    stopped: tuple[str, ...] = ()

    def with_result(self, name: str, recipe: Recipe | None, graph: Dag, *, stopped: bool = False) -> Study:
        """Study with one more network; what was known of another one of that name is gone.

        Parameters
        ----------
        name : str
        recipe : Recipe, optional
            None for a network that was not learned, such as an average of others.
        graph : Dag
        stopped : bool
            Whether its search was stopped.
        """
        known = self.without(name)
        return replace(
            known,
            recipes=known.recipes if recipe is None else {**known.recipes, name: recipe},
            graphs={**known.graphs, name: graph},
            stopped=(*known.stopped, name) if stopped else known.stopped,
        )

    def without(self, name: str) -> Study:
        """Study without one of its networks."""
        return replace(
            self,
            recipes=_but(self.recipes, name),
            graphs=_but(self.graphs, name),
            confidence=_but(self.confidence, name),
            stopped=tuple(known for known in self.stopped if known != name),
        )

    def save(self, path: str | Path) -> None:
        """Write a JSON file; the data are not in it, only their name and fingerprint."""
        replace_file(path, json.dumps(self.to_json(), indent=1, ensure_ascii=False))

    @classmethod
    def open(cls, path: str | Path) -> Study:
        """Read what `save` wrote.

        Raises
        ------
        ValueError
            When the file is no such study, or too large for the memory; nothing in it is ever executed.
        """
        try:
            check_memory(JSON_BYTES * Path(path).stat().st_size, f"the study in {path}", "take a smaller file")
            return cls.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
        except MemoryBudget:
            raise
        except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"{path} is no saved study: {error}.") from None
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"{path} is no saved study of this version ({error}); its format is {FORMAT!r}.") from None

    def to_json(self) -> dict[str, Any]:
        """Plain values that `from_json` takes back."""
        return {
            "format": FORMAT,
            "source": self.source,
            "fingerprint": self.fingerprint,
            "preparation": asdict(self.preparation),
            "recipes": {name: asdict(recipe) for name, recipe in self.recipes.items()},
            "graphs": {name: {"names": dag.names, "edges": dag.edges} for name, dag in self.graphs.items()},
            "confidence": {
                name: {"names": found.names, "arcs": found.arcs.tolist(), "graphs": found.graphs}
                for name, found in self.confidence.items()
            },
            "bootstrap_seed": self.bootstrap_seed,
            "stopped": list(self.stopped),
        }

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Study:
        """Study of the values that `to_json` gave.

        Raises
        ------
        ValueError, KeyError, TypeError, AttributeError
            When they are not of that form.
        """
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']!r}")
        steps = content["preparation"]
        return cls(
            source=str(content["source"]),
            fingerprint=str(content["fingerprint"]),
            preparation=Preparation(
                tuple(map(str, steps["leave_out"])),
                {name: tuple(map(float, points)) for name, points in steps["cuts"].items()},
                steps["missing"],
                steps.get("target"),
            ),
            recipes={name: Recipe(**recipe) for name, recipe in content["recipes"].items()},
            graphs={
                name: Dag.from_edges(graph["names"], [(u, v) for u, v in graph["edges"]])
                for name, graph in content["graphs"].items()
            },
            confidence={
                name: EdgeConfidence(tuple(found["names"]), np.array(found["arcs"], dtype=float), int(found["graphs"]))
                for name, found in content["confidence"].items()
            },
            bootstrap_seed=int(content["bootstrap_seed"]),
            stopped=tuple(map(str, content.get("stopped", ()))),
        )

    def steps(self) -> list[tuple[str, str]]:
        """Every step in words and as Python that does it again, in order."""
        source = f"frame = bnlab.load_frame({self.source!r})" if self.source else "frame = ...  # your DataFrame"
        imports = (
            "from functools import partial\n\nimport bnlab\nfrom bnlab.analysis import Preparation, describe_columns\n"
        )
        steps = [
            ("Read the data.", f"{imports}\n{source}\ndescribe_columns(frame)\n"),
            ("Turn its columns into variables with states.", self.preparation.code() + "table\n"),
        ]
        if self.graphs:
            networks = "".join(f"    {name!r}: {self._network_code(name)},\n" for name in self.graphs)
            steps.append((self._network_words(), f"networks = {{\n{networks}}}\n"))
            steps.extend(
                (f"Look at {' '.join(name.split())}.", f"bnlab.widgets.NetworkGraph(networks[{name!r}], table)\n")
                for name in self.graphs
            )
            steps.append(("Compare them under every score.", "bnlab.widgets.ScorePanel(table, networks)\n"))
        if len(self.graphs) > 1:
            agreement = "from bnlab.analysis import edge_agreement\n\nedge_agreement(networks)\n"
            steps.append(("Compare their edges.", agreement))
        steps.extend(self._bootstrap_step(name) for name in self.confidence if name in self.recipes)
        return steps

    def code(self) -> str:
        """Python script of all steps."""
        return "\n".join(f"# {words}\n{code}" for words, code in self.steps())

    def notebook(self, title: str = "Analysis") -> dict[str, Any]:
        """Notebook of all steps, not executed, as the JSON of nbformat 4."""
        cells = [_markdown(f"# {_plain(title)}")]
        for words, code in self.steps():
            cells += [_markdown(_plain(words)), _code(code)]
        for number, cell in enumerate(cells):
            cell["id"] = f"step-{number}"
        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}

    def _network_code(self, name: str) -> str:
        if name in self.recipes and name not in self.stopped:
            return self.recipes[name].code("table")
        graph = self.graphs[name]
        return f"bnlab.Dag.from_edges(table.names, {list(graph.edges)!r})"

    def _network_words(self) -> str:
        """What the step does, and why some networks stand there edge by edge."""
        if not self.stopped:
            return "Learn networks."
        recipes = "; ".join(f"{' '.join(name.split())}: {self.recipes[name].code('table')}" for name in self.stopped)
        return f"Learn networks. Searches that were stopped are given by the edges they had then ({recipes})."

    def _bootstrap_step(self, name: str) -> tuple[str, str]:
        recipe = self.recipes[name]
        options = {} if recipe.score is None else {"score": recipe.score}
        named = "".join(f", {key}={value!r}" for key, value in {**options, **recipe.options}.items())
        code = (
            "from bnlab.learners import Bootstrap\nfrom bnlab.search import run\n\n"
            f"learner = partial(bnlab.learn, algorithm={recipe.algorithm!r}{named})\n"
            f"confidence = run(Bootstrap(table, learner, replicates={self.confidence[name].graphs}, "
            f"seed={self.bootstrap_seed}))\nconfidence.to_frame()\n"
        )
        return f"How sure are the edges of {' '.join(name.split())}?", code


def _but(known: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in known.items() if key != name}


def _plain(text: str) -> str:
    """Text on one line that Markdown takes as text."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>()#+-!|~$&" else c for c in " ".join(text.split()))


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(text: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text.rstrip("\n")}
