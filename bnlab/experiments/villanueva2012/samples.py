"""Samples and true graphs: those of the MMHC study where they are at hand, drawn from the networks elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bnlab._runtime.names import nearest
from bnlab.data import catalogue
from bnlab.data.mmhc import mmhc_graph, mmhc_sample
from bnlab.data.table import Table
from bnlab.experiments.villanueva2012.protocol import NETWORKS
from bnlab.graphs.dag import Dag
from bnlab.networks.load import load_network
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.tiling import tile

STUDY, OWN = "MMHC", "own"
"""Where a sample comes from: the study of Tsamardinos et al. (2006), or drawn here from the network or its tiling."""

ORIGINALS = {*((network, 1) for network in NETWORKS)} | {
    (network, copies) for network in ("Alarm", "Child", "Insurance") for copies in (3, 5)
}
"""Networks and numbers of copies of which the study has samples of all sizes and versions."""

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
"""Variables of the study's files, which have no names, by the structure of their graph.

The structure and the numbers of states leave one way to name Child's. For Alarm they leave four, which swap HREKG with
HRSAT and PCWP with CVP. Insurance and Hailfinder are in the order of their BIF files.
"""


@dataclass(frozen=True)
class Sample:
    """Rows, and the graph they come from.

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
        """Sentence about rows that are not the study's; empty for those."""
        return "" if self.origin == STUDY else "Rows drawn from the bundled network, not a sample of the MMHC study."


def origin_of(network: str, copies: int) -> str:
    """Where the samples of a network come from by default."""
    return STUDY if (network, copies) in ORIGINALS else OWN


def sample(
    network: str, rows: int, version: int = 1, copies: int = 1, origin: str | None = None, *, download: bool = False
) -> Sample:
    """One sample of the comparison.

    Where the study's archive is neither in the folder of BNLAB_DATA nor in the cache, the rows are drawn from the
    bundled network, and `Sample.origin` says so.

    Parameters
    ----------
    network : {"Alarm", "Child", "Insurance", "Hailfinder"}
    rows : {500, 1000, 5000}
    version : int
        1 to 10 for the study's samples; any number for drawn ones, whose seed it gives.
    copies : int
        Tiling; 1 for the network itself.
    origin : {"MMHC", "own"}, optional
        The study's sample by default where there is one, else one drawn from our own tiling of the network.
    download : bool
        Whether to download the study's archive if it is not at hand.

    Raises
    ------
    ValueError
        For an unknown network or sample.
    DataUnavailable
        If a download fails.
    """
    if network not in NETWORKS:
        raise ValueError(f"network={network!r}: {nearest(network, NETWORKS)}")
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
    """Our tiling of a network, always the same."""
    net = load_network(network.lower())
    return net if copies == 1 else tile(net, copies, seed=copies)
