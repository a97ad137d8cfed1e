"""Scores: how well a family, or a whole network, fits the data. In nats; greater is better."""

from bnlab.scores.dirichlet import BD, K2, BDe, BDeu
from bnlab.scores.fcll import FCLL, FCLLNML
from bnlab.scores.likelihood import AIC, BIC, LL, MDL, PNAL
from bnlab.scores.local import LocalScore
from bnlab.scores.make import make_score
from bnlab.scores.mit import MIT
from bnlab.scores.network_score import DifferencePrior, score
from bnlab.scores.nml import NML, multinomial_complexity
from bnlab.scores.phi import LocalScores, local_scores

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
    "LocalScore",
    "LocalScores",
    "local_scores",
    "make_score",
    "multinomial_complexity",
    "score",
]
