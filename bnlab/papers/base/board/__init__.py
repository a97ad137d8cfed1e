"""`ExperimentBoard`: a paper's numbers, reported and reproduced."""
