"""Scores: how well a family, or a whole network, fits the data. In nats; greater is better."""

from bnlab.scores.dirichlet import BD, K2, BDe, BDeu
from bnlab.scores.fcll import FCLL, FCLLNML
from bnlab.scores.likelihood import AIC, BIC, LL, MDL, PNAL
from bnlab.scores.local import LocalScore
from bnlab.scores.make import local_scores, make_score
from bnlab.scores.mit import MIT
from bnlab.scores.network_score import score
from bnlab.scores.nml import NML, multinomial_complexity
from bnlab.scores.phi import LocalScores
from bnlab.scores.structure_prior import DifferencePrior, EdgePrior

__all__ = [
    "AIC",
    "BD",
    "BIC",
    "FCLL",
    "FCLLNML",
    "K2",
    "LL",
    "MDL",
    "MIT",
    "NML",
    "PNAL",
    "BDe",
    "BDeu",
    "DifferencePrior",
    "EdgePrior",
    "LocalScore",
    "LocalScores",
    "local_scores",
    "make_score",
    "multinomial_complexity",
    "score",
]
