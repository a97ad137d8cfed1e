"""Networks, samples and algorithms of the comparison, and the readings of what print leaves open.

The paper says: five samples each of 500, 1000 and 5000 rows of four networks, tilings of 3, 5 and 10 copies for the
cost, G2 at the level 0.05, not performed with fewer than 5 rows a cell, in which case independence is assumed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bnlab.citests.g2 import DegreesOfFreedom
from bnlab.skeletons.skeleton import SKELETONS

NETWORKS = ("Alarm", "Child", "Insurance", "Hailfinder")
"""Networks of the paper, in its order."""

ROWS = (500, 1000, 5000)
"""Sizes of the samples."""

VERSIONS = (1, 2, 3, 4, 5)
"""Samples of each size. The study has ten; the paper took five and does not say which."""

COPIES = (1, 3, 5, 10)
"""Tilings, 1 for the network itself."""

LABELS = {name: entry.label for name, entry in SKELETONS.items()}
"""Algorithms as `bnlab.skeletons` names them, in the order of the paper, and as it prints them."""

ALGORITHMS = tuple(LABELS)


@dataclass(frozen=True)
class Reading:
    """A way to read what the paper leaves open.

    Attributes
    ----------
    name : str
        Name in the records.
    meaning : str
        What is done, in a few words.
    options : mapping of str to mapping
        Options of the algorithms that it concerns.
    df : {"adjusted", "plain"}
        Degrees of freedom of the tests.
    skip : bool
        Whether a test that too few rows forbid neither separates nor admits.
    """

    name: str
    meaning: str
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    df: DegreesOfFreedom = "adjusted"
    skip: bool = False

    def concerns(self, algorithm: str) -> bool:
        """Whether an algorithm does anything else under this reading than as printed."""
        return self.name == "as printed" or self.df == "plain" or self.skip or algorithm in self.options

    def options_of(self, algorithm: str, rows: int) -> dict[str, Any]:
        """Options of an algorithm, as `bnlab.skeletons.make_search` takes them."""
        skipping = {"unreliable": "skip", "max_order": largest_order(rows)} if self.skip else {}
        return {**self.options.get(algorithm, {}), **skipping}


def largest_order(rows: int) -> int:
    """Most variables that can be given in a test that is performed: all binary, 5 rows a cell.

    Examples
    --------
    >>> largest_order(500), largest_order(5000)
    (4, 7)
    """
    return max(rows // 20, 1).bit_length() - 1


AS_PRINTED = Reading("as printed", "every choice as the text has it")

READINGS = {
    reading.name: reading
    for reading in (
        AS_PRINTED,
        Reading("order 0 first", "all order-0 tests before any other test", {"opthpc": {"zero_order_first": True}}),
        Reading("whole blanket", "separators sought in the whole Markov blanket", {"opthpc": {"sepset": "mb"}}),
        Reading("AND", "an edge must be found from both ends", {"opthpc": {"rule": "and"}, "hpc": {"rule": "and"}}),
        Reading("OR", "an edge found from one end is enough", {"mmpc": {"rule": "or"}, "getpc": {"rule": "or"}}),
        Reading("plain df", "degrees of freedom not adjusted for empty rows and columns", df="plain"),
        Reading("skip", "a test without rows enough neither separates nor admits", skip=True),
        Reading(
            "symmetry", "MMPC leaves out candidates that did not find the target", {"mmpc": {"use_symmetry": True}}
        ),
        Reading("no cache", "OptHPC without its cache", {"opthpc": {"cache": False}}),
    )
}
"""Readings by name."""
