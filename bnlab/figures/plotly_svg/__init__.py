"""Plotly figures as static SVG."""
