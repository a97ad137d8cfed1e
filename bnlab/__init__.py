"""bnlab: a workbench for learning the structure of discrete Bayesian networks."""
