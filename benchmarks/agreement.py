"""When two results agree: how far a contender's is from bnlab's, each in the form of `Trial.read`."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.contenders import Counts, Joined, Predicted
from benchmarks.workload import Workload

TIE = 1e-9


def relative(value: Any, reference: Any, work: Workload) -> float:
    """Greatest relative difference; a contender may have done the first ones only."""
    mine = np.atleast_1d(np.asarray(value, dtype=float))
    theirs = np.atleast_1d(np.asarray(reference, dtype=float))[: len(mine)]
    return float(np.max(np.abs(mine - theirs) / np.maximum(np.abs(theirs), 1.0)))


def shortfall(value: float, reference: float, work: Workload) -> float:
    """Relative difference of a score that is lower than bnlab's; 0 for one that is as great or greater."""
    return max(0.0, (reference - value) / abs(reference))


def different_columns(value: Counts, reference: Counts, work: Workload) -> float:
    """Columns whose states occur other numbers of times."""
    return float(sum(value.get(name) != counts for name, counts in reference.items()))


def frequency_gap(value: Counts, reference: Counts, work: Workload) -> float:
    """Greatest gap between the frequencies of a state in two samples, in units of 1 / sqrt(rows)."""
    gaps = [0.0]
    for name, counts in reference.items():
        a, b = sorted(value[name], reverse=True), sorted(counts, reverse=True)
        size = max(len(a), len(b))
        gaps.append(max(abs(x - y) for x, y in zip(_padded(a, size), _padded(b, size), strict=True)))
    return max(gaps) / work.table.n_rows**0.5


def _padded(counts: list[int], size: int) -> list[int]:
    return counts + [0] * (size - len(counts))


def wrong_labels(value: Predicted, reference: Predicted, work: Workload) -> float:
    """Share of rows whose predicted class is none of the most probable ones.

    Most probable by bnlab's parameters for the contender's own structure: trees of equal score may have other roots,
    and smoothing then gives other predictions. Where two classes are equally probable either is right.
    """
    classifier = work.classifier(value.edges)
    joint = classifier.joint_log_likelihood(work.test.loc[value.labels.index].drop(columns=work.target))
    position = {label: k for k, label in enumerate(classifier.classes_)}
    chosen = joint[np.arange(len(joint)), [position[label] for label in value.labels]]
    return float((chosen < joint.max(axis=1) - TIE).mean())


def network_gap(value: Any, reference: Any, work: Workload) -> float:
    """Relative gap of the sums of squared parameters; infinite when the arcs differ."""
    if set(value[0]) != set(reference[0]):
        return float("inf")
    return abs(value[1] - reference[1]) / reference[1]


def worse_skeleton(value: Joined, reference: Joined, work: Workload) -> float:
    """How much the harmonic mean of Sn and Sp, against the true network, falls behind that of bnlab's skeleton."""
    return max(0.0, _harmonic(reference, work) - _harmonic(value, work))


def _harmonic(joined: Joined, work: Workload) -> float:
    return 2 * len(joined.pairs & work.true_pairs) / (len(joined.pairs) + len(work.true_pairs))


def shown(value: Any, work: Workload) -> dict[str, Any]:
    """What a table tells of a result beside the time."""
    if isinstance(value, Predicted):
        right = value.labels.to_numpy() == work.test.loc[value.labels.index, work.target].to_numpy()
        return {"accuracy": float(right.mean())}
    if isinstance(value, Joined):
        true = len(value.pairs & work.true_pairs)
        return {
            "edges": len(value.pairs),
            "sn": true / len(work.true_pairs),
            "sp": true / max(1, len(value.pairs)),
            "tests": value.tests,
        }
    return {}
