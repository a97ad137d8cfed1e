"""Figures that compare networks under scores."""
