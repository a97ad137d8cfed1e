"""Colours can be told apart by everybody, on light and on dark pages."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bnlab.figures import theme
from bnlab.figures.labels import PAPER_SCORES, score_style

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
