"""Figures of notebooks in a real JupyterLab: their colours follow its theme."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tools.lab import Lab

FIGURES = """\
import plotly.graph_objects as go
import bnlab
from bnlab.data import remove_values
from bnlab.figures import gaps_figure, network_picture
net = bnlab.load_network("asia")
gaps_figure(remove_values(net.sample(500, seed=1), 0.2, "mcar", seed=1))"""


def test_figures_and_pictures_are_dark_in_a_dark_theme_and_those_of_others_stay_as_they_are(
    lab: Lab, page: Page, screenshot: Callable[[str], Path]
) -> None:
    notebook = lab.run(page, "figures.ipynb", [FIGURES, "network_picture(net)", "go.Figure(go.Bar(y=[1]))"])
    own, picture = notebook.output(0).locator(".bnlab-figure"), notebook.output(1).locator("img")
    expect(own.locator(".main-svg").first).to_be_visible()
    expect(notebook.output(2).locator(".main-svg").first).to_be_visible()
    expect(notebook.output(2).locator(".bnlab-figure")).to_have_count(0)
    for theme, drawn in (("light", "none"), ("dark", "invert(0.88) hue-rotate(180deg)")):
        notebook.theme(theme)
        expect(own).to_have_css("filter", drawn)
        expect(picture).to_have_css("filter", drawn)
        screenshot(f"figures-{theme}")
