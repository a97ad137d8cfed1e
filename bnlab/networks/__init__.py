"""Bayesian networks: structure with parameters; sampling, inference, estimation, files."""

from bnlab.networks.effects import adjusted, causal_effect, effects_over_graphs, possible_effects
from bnlab.networks.em import ExpectationMaximization
from bnlab.networks.fit import fit
from bnlab.networks.held_out import held_out
from bnlab.networks.impute import impute
from bnlab.networks.influence import InfluenceDiagram, structure_learning_diagram
from bnlab.networks.io.bif import parse_bif, read_bif
from bnlab.networks.io.bif_text import BifError
from bnlab.networks.io.bif_writer import write_bif
from bnlab.networks.io.draft import NetworkFileError
from bnlab.networks.io.formats import read_network
from bnlab.networks.io.models import as_network
from bnlab.networks.load import asia, cancer, earthquake, load_network, simple
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.noisy_or import noisy_or
from bnlab.networks.policy import Policy, best_policy, expected_utility
from bnlab.networks.query.evidence import ImpossibleEvidence
from bnlab.networks.query.inference import JunctionTree, marginal
from bnlab.networks.query.relevance import what_matters
from bnlab.networks.query.sensitivity import sensitivity
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
    "NetworkFileError",
    "Policy",
    "Smoothing",
    "adjusted",
    "as_network",
    "asia",
    "best_policy",
    "cancer",
    "causal_effect",
    "earthquake",
    "effects_over_graphs",
    "expected_utility",
    "fit",
    "from_networkx",
    "held_out",
    "impute",
    "load_network",
    "marginal",
    "noisy_or",
    "parse_bif",
    "possible_effects",
    "read_bif",
    "read_network",
    "sensitivity",
    "simple",
    "structure_learning_diagram",
    "tile",
    "to_networkx",
    "what_matters",
    "write_bif",
]
