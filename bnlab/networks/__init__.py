"""Bayesian networks: structure with parameters; sampling, inference, estimation, files."""

from bnlab.networks.em import ExpectationMaximization
from bnlab.networks.fit import fit
from bnlab.networks.impute import impute
from bnlab.networks.inference import ImpossibleEvidence, JunctionTree, marginal
from bnlab.networks.influence import InfluenceDiagram, structure_learning_diagram
from bnlab.networks.io.bif import parse_bif, read_bif
from bnlab.networks.io.bif_text import BifError, write_bif
from bnlab.networks.load import asia, cancer, earthquake, load_network, simple
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.smoothing import BDeuPrior, Dirichlet, MarginalPseudoRows, MaximumLikelihood, Smoothing
from bnlab.networks.tiling import tile

from_networkx, to_networkx = BayesianNetwork.from_networkx, BayesianNetwork.to_networkx

__all__ = [
    "BDeuPrior",
    "BayesianNetwork",
    "BifError",
    "Dirichlet",
    "ExpectationMaximization",
    "ImpossibleEvidence",
    "InfluenceDiagram",
    "JunctionTree",
    "MarginalPseudoRows",
    "MaximumLikelihood",
    "Smoothing",
    "asia",
    "cancer",
    "earthquake",
    "fit",
    "from_networkx",
    "impute",
    "load_network",
    "marginal",
    "parse_bif",
    "read_bif",
    "simple",
    "structure_learning_diagram",
    "tile",
    "to_networkx",
    "write_bif",
]
