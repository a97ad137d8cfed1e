"""Samples and true graphs: those of the MMHC study where they exist, tilings of our own elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from bnlab._runtime.names import nearest
from bnlab.data.mmhc import mmhc_graph, mmhc_sample
from bnlab.data.table import Table
from bnlab.experiments.villanueva2012.protocol import NETWORKS
from bnlab.graphs.dag import Dag
from bnlab.networks.load import load_network
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.tiling import tile

STUDY, OWN = "MMHC", "own"
"""Where a sample comes from: the study of Tsamardinos et al. (2006), or a tiling of ours."""

ORIGINALS = {*((network, 1) for network in NETWORKS)} | {
    (network, copies) for network in ("Alarm", "Child", "Insurance") for copies in (3, 5)
}
"""Networks and numbers of copies whose samples of the study are at hand, all sizes and versions."""

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
    """

    table: Table
    dag: Dag


def origin_of(network: str, copies: int) -> str:
    """Where the samples of a network come from, if nothing else is asked for."""
    return STUDY if (network, copies) in ORIGINALS else OWN


@lru_cache(maxsize=4)
def sample(network: str, rows: int, version: int = 1, copies: int = 1, origin: str | None = None) -> Sample:
    """One sample of the comparison.

    Parameters
    ----------
    network : {"Alarm", "Child", "Insurance", "Hailfinder"}
    rows : {500, 1000, 5000}
    version : int
        1 to 10 for the study's samples; any number for our own.
    copies : int
        Tiling; 1 for the network itself.
    origin : {"MMHC", "own"}, optional
        The study's sample by default where there is one, else a sample of our own tiling of the network.

    Raises
    ------
    ValueError
        For an unknown network or sample.
    """
    if network not in NETWORKS:
        raise ValueError(f"network={network!r}: {nearest(network, NETWORKS)}")
    if (origin or origin_of(network, copies)) == STUDY:
        return _of_the_study(network, rows, version, copies)
    net = tiling(network, copies)
    return Sample(net.sample(rows, seed=rows + version), net.dag)


def _of_the_study(network: str, rows: int, version: int, copies: int) -> Sample:
    if copies == 1:
        dag = load_network(network.lower()).dag
        names = COLUMNS.get(network, dag.names)
        key = {"Alarm": "Alarm1", "Hailfinder": "HailFinder"}.get(network, network)
        return Sample(mmhc_sample(key, rows, version, names=names), dag.reordered(names))
    key = f"{network}{copies}"
    graph = mmhc_graph(key)
    table = mmhc_sample(key, rows, version)
    parents = [column.nonzero()[0].tolist() for column in graph.T]
    return Sample(table, Dag(table.names, parents))


@lru_cache(maxsize=4)
def tiling(network: str, copies: int) -> BayesianNetwork:
    """Our tiling of a network, always the same."""
    net = load_network(network.lower())
    return net if copies == 1 else tile(net, copies, seed=copies)
