"""Compiled loops of the learners, under the name of the readable learner that they equal."""
