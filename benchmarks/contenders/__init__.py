"""How each package does each task, as fast as its public functions allow.

A method prepares one repetition from scratch (nothing counted or scored before survives) and returns a `Trial`; only
``trial.run`` is timed. A contender that cannot do a task lacks the method or returns None.
"""

from benchmarks.contenders.base import Contender, Counts, Joined, Predicted, Trial
from benchmarks.contenders.causallearn import CausalLearn
from benchmarks.contenders.learnbcdbn import LearnBcDbn
from benchmarks.contenders.own import Bnlab
from benchmarks.contenders.pgmpy import Pgmpy
from benchmarks.contenders.pyagrum import PyAgrum
from benchmarks.contenders.pybnesian import PyBNesian
from benchmarks.contenders.rbnlearn import RBnlearn
from benchmarks.contenders.weka import Weka

__all__ = ["CONTENDERS", "Bnlab", "Contender", "Counts", "Joined", "Predicted", "RBnlearn", "Trial"]

CONTENDERS: tuple[type[Contender], ...] = (Bnlab, RBnlearn, PyBNesian, PyAgrum, Pgmpy, CausalLearn, Weka, LearnBcDbn)
