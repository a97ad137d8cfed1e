"""Bayesian network classifiers as scikit-learn estimators."""

from bnlab.classifiers.ckg import CkG
from bnlab.classifiers.naive_bayes import NaiveBayes
from bnlab.classifiers.tan import TAN

__all__ = ["TAN", "CkG", "NaiveBayes"]
