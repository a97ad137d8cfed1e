"""Colours can be told apart by everybody, on light and on dark pages."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bnlab.figures import theme
from bnlab.figures.labels import PAPER_SCORES, score_style
from bnlab.figures.scores.sample_size import PrefixScores
from bnlab.figures.searches.convergence import convergence_data, convergence_json
from bnlab.graphs import Dag
from bnlab.networks import cancer
from bnlab.search import Event, Progress, Trace
from bnlab.widgets.scores.content import ScoreContent, Settings

PAGES = {"white": "#ffffff", "JupyterLab dark": "#111111", "a code host, dark": "#0d1117"}

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
# Ottosson 2020, Oklab: distances in it are differences as seen.
TO_CONES = [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566]]
TO_CONES.append([0.0883024619, 0.2817188376, 0.6299787005])
TO_LAB = [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099]]
TO_LAB.append([0.0259040371, 0.7827717662, -0.8086757660])


def linear(colour: str) -> np.ndarray:
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    """Contrast ratio of WCAG 2."""
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, vision: str) -> np.ndarray:
    rgb = np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1)
    return np.array(TO_LAB) @ np.cbrt(np.array(TO_CONES) @ rgb)


@pytest.mark.parametrize("page", PAGES)
def test_every_colour_stands_out_from_the_page(page: str) -> None:
    assert min(contrast(colour, PAGES[page]) for colour in theme.PALETTE) >= 3.0
    assert contrast(theme.TEXT, PAGES[page]) >= 4.2
    assert contrast(theme.OUTLINE, PAGES[page]) >= 3.0


@pytest.mark.parametrize("page", PAGES)
def test_lines_and_markers_of_live_charts_stand_out_from_the_page(page: str) -> None:
    trace, table = Trace(), cancer().sample(100, seed=1)
    for k in range(3):
        event = Event(k + 1, ("converged", "restart", "add")[k], 0, 1)
        trace.add(Progress(k + 1, (-9.0 + k,), -9.0 + k, (event,), bound=-5.0))
    scores = PrefixScores(table, {f"network {i}": Dag.empty(table.names) for i in range(8)})
    panel = ScoreContent(scores)
    settings = Settings(1.0, 0.99, 100, None, "bdeu", panel.networks)
    charts = [convergence_json(convergence_data({f"run {i}": trace for i in range(8)}))]
    charts += [panel.chart(name, settings) for name in ("ess", "scores", "nodes", "rows")]
    inks = set()
    for chart in charts:
        for drawn in chart["data"]:
            part = drawn["marker"] if "markers" in drawn.get("mode", "") else drawn.get("line", {})
            if isinstance(part.get("color"), str) and part["color"].startswith("#"):
                inks.add((part["color"], drawn.get("opacity", 1.0) * part.get("opacity", 1.0)))
    assert {colour for colour, _ in inks} >= set(theme.PALETTE)
    faint = {ink: ratio for ink in inks if (ratio := contrast(over(*ink, PAGES[page]), PAGES[page])) < 3.0}
    assert not faint


def over(colour: str, opacity: float, page: str) -> str:
    """Colour that is seen where a translucent one is on a page."""
    channels = [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in (colour, page)]
    mixed = opacity * np.array(channels[0]) + (1 - opacity) * np.array(channels[1])
    return "#" + "".join(f"{round(value):02x}" for value in mixed)


def test_text_on_our_own_ground_is_dark_enough() -> None:
    layout = theme.TEMPLATE["layout"]
    for ground in (theme.PAPER, theme.MARKED_PAPER, layout["paper_bgcolor"], layout["plot_bgcolor"]):
        assert contrast(theme.INK, ground) >= 7.0
    assert layout["font"]["color"] == layout["annotationdefaults"]["font"]["color"] == theme.INK


@pytest.mark.parametrize("vision", VISION)
def test_any_two_colours_differ_for(vision: str) -> None:
    apart = {(a, b): np.linalg.norm(seen(a, vision) - seen(b, vision)) for a, b in combinations(theme.PALETTE, 2)}
    assert min(apart.values()) > 0.065, min(apart, key=lambda pair: apart[pair])


def test_scores_of_the_paper_differ_in_colour_and_in_shape() -> None:
    colours, shapes = zip(*map(score_style, PAPER_SCORES), strict=True)
    assert len(set(colours)) == len(set(shapes)) == 8


def test_the_template_brings_a_ground_on_which_its_text_is_legible() -> None:
    layout = theme.TEMPLATE["layout"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == theme.GROUND
