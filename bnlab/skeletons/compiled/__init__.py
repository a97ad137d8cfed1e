"""Compiled skeleton learners, under the name of the readable learner that they equal."""
