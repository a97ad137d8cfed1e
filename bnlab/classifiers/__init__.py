"""Bayesian network classifiers as scikit-learn estimators."""

from bnlab.classifiers.estimators import TAN, CkG, NaiveBayes

__all__ = ["TAN", "CkG", "NaiveBayes"]
