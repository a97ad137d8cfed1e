"""What an analysis has found: the sentences that a person wants first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bnlab.analysis.study import Study
from bnlab.analysis.validation_result import CrossValidation
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.graphs.dag import Dag, counted, listed
from bnlab.graphs.pdag import Pdag

FEW = 3
"""Greatest number of variables without an edge that are named."""


class Sentence(NamedTuple):
    """A sentence, and where its evidence is: "network", "confidence", "directions" or "validation"."""

    text: str
    evidence: str


def findings(study: Study, name: str, validation: CrossValidation | None = None) -> tuple[Sentence, ...]:
    """Say what a network of a study shows: its size, which edges are sure, which directions are open, what it predicts.

    Parameters
    ----------
    study : Study
    name : str
        A network.
    validation : CrossValidation, optional
        With a learner of this name; if it has a target, its accuracy on held-out rows is one of the findings.

    Raises
    ------
    ValueError
        If the study has no network of this name.

    Examples
    --------
    >>> graph = Dag.from_edges(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> from bnlab.analysis import Recipe
    >>> for text, evidence in findings(Study().with_result("first", Recipe(), graph), "first"):
    ...     print(f"{evidence}: {text}")
    network: 2 edges among 3 variables.
    confidence: How stable they are has not been examined.
    directions: The data decide all directions, if no common cause is missing.
    """
    if name not in study.graphs:
        raise ValueError(f"no network {name!r}: the study has {', '.join(map(repr, study.graphs)) or 'none'}.")
    return tuple(_findings(study, name, validation))


def _findings(study: Study, name: str, validation: CrossValidation | None) -> Iterator[Sentence]:
    graph = study.as_class(name)
    alone = [own for own in graph.names if not any(own in edge for edge in graph.edges)]
    some = listed(alone) if len(alone) <= FEW else f"{len(alone):,}"
    others = f"; {some} without any" if alone and graph.edges else ""
    yield Sentence(
        f"{counted(len(graph.edges), 'edge')} among {counted(len(graph.names), 'variable')}{others}.", "network"
    )
    if graph.edges:
        yield Sentence(_stability(graph, study.confidence.get(name)), "confidence")
        if name in study.recipes:
            yield Sentence(_directions(graph), "directions")
    if validation is not None and name in validation.learners and validation.target is not None:
        yield Sentence(_prediction(validation, name), "validation")


def _stability(graph: Dag | Pdag, found: EdgeConfidence | None) -> str:
    """Sentence about how sure the edges are."""
    if found is None:
        one = len(graph.edges) == 1
        return f"How stable {'it is' if one else 'they are'} has not been examined."
    place = {name: i for i, name in enumerate(found.names)}
    strengths = [found.strength[place[u], place[v]] for u, v in graph.edges]
    sure = sum(strength >= found.threshold for strength in strengths)
    weak = len(strengths) - sure
    word, source = "probable", f"at least {found.threshold:.0%}"
    if found.method == "bootstrap":
        share = "all" if found.threshold == 1 else f"at least {found.threshold:.0%} of"
        word, source = "stable", f"in {share} {found.graphs:,} networks from resampled rows"
    if not weak:
        return f"{'It is' if sure == 1 else f'All {sure:,} are'} {word}: {source}."
    first = f"{sure:,} {'is' if sure == 1 else 'are'} {word} ({source})" if sure else f"None is {word} ({source})"
    return f"{first}; {weak:,} could be chance."


def _directions(graph: Dag | Pdag) -> str:
    """Sentence about the directions that the data decide."""
    undecided = len(graph.undirected_edges) if isinstance(graph, Pdag) else 0
    if not undecided:
        return "The data decide all directions, if no common cause is missing."
    if undecided == len(graph.edges):
        return "All directions are open: the data fit either way equally well."
    verb = "is" if undecided == 1 else "are"
    return f"{counted(undecided, 'direction')} {verb} open: the data fit either way equally well."


def _prediction(validation: CrossValidation, name: str) -> str:
    """Sentence about the accuracy on held-out rows."""
    found = validation.summary(name).loc[("accuracy", name)]
    known = validation.truth[validation.truth < len(validation.states)]
    most = max((known == k).mean() for k in range(len(validation.states)))
    interval = "" if found.isna()["low"] else f" ({found.low:.0%} to {min(found.high, 1.0):.0%})"
    return (
        f"Predicts {validation.target} right in {found['mean']:.0%}{interval} of new rows; "
        f"its most frequent state alone would be right in {most:.0%}."
    )
