"""Networks, samples and algorithms of the comparison, and readings of what the paper leaves open.

The paper specifies five samples each of 500, 1000 and 5000 rows of four networks, tilings of 3, 5 and 10 copies for the
costs, and G2 tests at the level 0.05. A test with fewer than 5 rows per cell is not performed, and independence is
assumed. Samples are those of the MMHC study if they are available, and are otherwise drawn from the networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from bnlab._runtime.names import check_known
from bnlab.citests.g2 import DegreesOfFreedom
from bnlab.data import catalogue
from bnlab.data.mmhc import mmhc_graph, mmhc_sample
from bnlab.data.table import Table
from bnlab.graphs.dag import Dag
from bnlab.networks.load import load_network
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.tiling import tile
from bnlab.skeletons.skeleton import SKELETONS

NETWORKS = ("Alarm", "Child", "Insurance", "Hailfinder")
"""Networks of the paper, in its order."""

ROWS = (500, 1000, 5000)
"""Sizes of the samples."""

VERSIONS = (1, 2, 3, 4, 5)
"""Samples of each size. The study has ten; the paper used five and does not name them."""

COPIES = (1, 3, 5, 10)
"""Numbers of copies; 1 is the network itself."""

LABELS = {name: entry.label for name, entry in SKELETONS.items()}
"""Names of the algorithms in `bnlab.skeletons`, in the order of the paper, and their labels in the paper."""

ALGORITHMS = tuple(LABELS)


@dataclass(frozen=True)
class Reading:
    """Reading of what the paper leaves open.

    Attributes
    ----------
    name : str
        Name in the records.
    meaning : str
        Short description.
    options : mapping of str to mapping
        Options of the algorithms that it concerns.
    df : {"adjusted", "plain"}
        Degrees of freedom of the tests.
    skip : bool
        Whether a test that is not performed for lack of rows neither separates nor admits a variable.
    counts_all : bool
        Whether such a test counts as a statistical call. This needs no further runs.
    """

    name: str
    meaning: str
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    df: DegreesOfFreedom = "adjusted"
    skip: bool = False
    counts_all: bool = False

    def concerns(self, algorithm: str) -> bool:
        """Whether this reading changes an algorithm compared with "as printed"."""
        return self.name == "as printed" or self.df == "plain" or self.skip or algorithm in self.options

    def options_of(self, algorithm: str, rows: int) -> dict[str, Any]:
        """Return the options of an algorithm for `bnlab.skeletons.make_search`."""
        skipping = {"unreliable": "skip", "max_order": largest_order(rows)} if self.skip else {}
        return {"variant": "paper", **self.options.get(algorithm, {}), **skipping}


def largest_order(rows: int) -> int:
    """Maximum number of given variables in a test that is performed, if all are binary and a cell needs 5 rows.

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
        Reading("all calls", "tests that too few rows forbid count as calls too", counts_all=True),
    )
}
"""Readings by name."""


STUDY, OWN = "MMHC", "own"
"""Origins of samples: the study of Tsamardinos et al. (2006), or drawn here from the network or its tiling."""

ORIGINALS = {*((network, 1) for network in NETWORKS)} | {
    (network, copies) for network in ("Alarm", "Child", "Insurance") for copies in (3, 5)
}
"""Networks and numbers of copies for which the study has samples of all sizes and versions."""

_ALARM = (
    "MINVOL PRESS PAP EXPCO2 HRBP ERRLOWOUTPUT HREKG HRSAT ERRCAUTER BP HISTORY CO HR CATECHOL ARTCO2 TPR "
    "ANAPHYLAXIS SAO2 PVSAT FIO2 VENTALV VENTLUNG VENTTUBE DISCONNECT VENTMACH MINVOLSET KINKEDTUBE SHUNT "
    "INTUBATION PULMEMBOLUS INSUFFANESTH PCWP CVP STROKEVOLUME LVEDVOLUME LVFAILURE HYPOVOLEMIA"
)
_CHILD = (
    "BirthAsphyxia Disease Age LVH DuctFlow CardiacMixing LungParench LungFlow Sick HypDistrib HypoxiaInO2 CO2 "
    "ChestXray Grunting LVHreport LowerBodyO2 RUQO2 CO2Report XrayReport GruntingReport"
)

COLUMNS = {"Alarm": tuple(_ALARM.split()), "Child": tuple(_CHILD.split())}
"""Names of the variables in the study's files, which have none, inferred from the structure of their graphs.

The structure and the numbers of states determine the names for Child. For Alarm there are four possibilities, because
HREKG and HRSAT, and PCWP and CVP, can be exchanged. Insurance and Hailfinder are in the order of their BIF files.
"""


@dataclass(frozen=True)
class Sample:
    """Rows, and the graph of the network from which they are drawn.

    Attributes
    ----------
    table : Table
    dag : Dag
    origin : {"MMHC", "own"}
    """

    table: Table
    dag: Dag
    origin: str

    @property
    def note(self) -> str:
        """Note about rows that are not from the study; empty otherwise."""
        return "" if self.origin == STUDY else "Rows drawn from the bundled network, not a sample of the MMHC study."


def origin_of(network: str, copies: int) -> str:
    """Default origin of the samples of a network."""
    return STUDY if (network, copies) in ORIGINALS else OWN


def sample(
    network: str, rows: int, version: int = 1, copies: int = 1, origin: str | None = None, *, download: bool = False
) -> Sample:
    """One sample of the comparison.

    If the study's archive is neither in the folder of BNLAB_DATA nor in the cache, the rows are drawn from the bundled
    network, and `Sample.origin` is "own".

    Parameters
    ----------
    network : {"Alarm", "Child", "Insurance", "Hailfinder"}
    rows : {500, 1000, 5000}
    version : int
        1 to 10 for samples of the study; any number for drawn ones, whose seed depends on it.
    copies : int
        Number of copies of the tiling; 1 for the network itself.
    origin : {"MMHC", "own"}, optional
        By default the study's sample if there is one, otherwise one drawn from our own tiling of the network.
    download : bool
        Whether to download the study's archive if it is not available.

    Raises
    ------
    ValueError
        If the network or the sample is unknown.
    DataUnavailable
        If a download fails.
    """
    check_known(network, NETWORKS, f"network={network!r}")
    if (origin or origin_of(network, copies)) == STUDY and (download or _is_at_hand(_study_name(network, copies))):
        return _of_the_study(network, rows, version, copies)
    return _drawn(network, rows, version, copies)


def _study_name(network: str, copies: int) -> str:
    if copies == 1:
        return {"Alarm": "Alarm1", "Hailfinder": "HailFinder"}.get(network, network)
    return f"{network}{copies}"


def _is_at_hand(name: str) -> bool:
    """Whether all files of a network of the study are in the folder of BNLAB_DATA or in the cache."""
    folders = [folder for folder in (catalogue.local_folder(), catalogue.cache_folder()) if folder is not None]
    own = [entry.file for entry in catalogue.entries() if (entry.kind, entry.name) == ("mmhc", name)]
    return bool(own) and all(any((folder / file).is_file() for folder in folders) for file in own)


@lru_cache(maxsize=4)
def _of_the_study(network: str, rows: int, version: int, copies: int) -> Sample:
    name = _study_name(network, copies)
    if copies == 1:
        dag = load_network(network.lower()).dag
        names = COLUMNS.get(network, dag.names)
        return Sample(mmhc_sample(name, rows, version, names=names), dag.reordered(names), STUDY)
    table = mmhc_sample(name, rows, version)
    parents = [column.nonzero()[0].tolist() for column in mmhc_graph(name).T]
    return Sample(table, Dag(table.names, parents), STUDY)


@lru_cache(maxsize=4)
def _drawn(network: str, rows: int, version: int, copies: int) -> Sample:
    net = tiling(network, copies)
    return Sample(net.sample(rows, seed=rows + version), net.dag, OWN)


@lru_cache(maxsize=4)
def tiling(network: str, copies: int) -> BayesianNetwork:
    """Our own tiling of a network, with a fixed seed."""
    net = load_network(network.lower())
    return net if copies == 1 else tile(net, copies, seed=copies)
