"""Policies as a picture, for where no chart runs: the still form of `policies_figure`."""

from __future__ import annotations

from bnlab.figures.picture import Picture
from bnlab.figures.searches.policies import LONGEST, PolicyData
from bnlab.figures.svg import document, element, label, shortened, text_width, written
from bnlab.figures.theme import BLUE, GREY, INK, OCHRE

CELL, SMALL, MANY = 16.0, 10.0, 24
PAD, SIZE = 12.0, 11.0
LEAST = 0.004


def policies_picture(data: PolicyData, *, title: str = "Policies") -> Picture:
    """Draw policies as a heat map, dark on white: a row a decision, a column a child, settled edges as dots.

    Parameters
    ----------
    data : PolicyData
    title : str
    """
    names = [shortened(str(name), LONGEST) for name in data.tau.columns]
    cell = CELL if len(names) <= MANY else SMALL
    size = min(SIZE, cell)
    left = 2 * PAD + max(text_width(name, size) for name in names)
    top = left + 16
    parts = [
        label(name, left - 6, top + (i + 0.5) * cell, size=size, colour=INK, anchor="end")
        for i, name in enumerate(names[:-1])
    ]
    for j, name in enumerate(names):
        x = left + (j + 0.5) * cell
        text = label(name, 0, 0, size=size, colour=INK, anchor="start")
        parts.append(element("g", text, transform=f"translate({x:.1f} {top - 6:.1f}) rotate(-90)"))
    width, height = left + cell * len(names) + PAD, top + cell * (len(names) - 1) + PAD
    frame = {"fill": "none", "stroke": GREY, "stroke_width": 1}
    parts.append(element("rect", x=left, y=top, width=cell * len(names), height=cell * (len(names) - 1), **frame))
    place = {name: k for k, name in enumerate(data.tau.columns)}
    for i, (row, active) in enumerate(zip(data.tau.to_numpy(), data.active, strict=True)):
        for j, tau in enumerate(row):
            if active and tau > LEAST:
                parts.append(_square(left + j * cell, top + i * cell, cell, float(tau)))
    for u, v in data.permanent:
        x, y = left + (place[v] + 0.5) * cell, top + (place[u] + 0.5) * cell
        words = element("title", written(f"{u} → {v} is permanent"))
        parts.append(element("circle", words, cx=x, cy=y, r=0.3 * cell, fill=BLUE))
    words = _words(data)
    ground = element("rect", width=width, height=height, rx=8, fill="#ffffff")
    heading = label(title, PAD, 14, size=13, colour=INK, anchor="start")
    svg = document(width, height, ground, heading, *parts, title=title, description=words)
    return Picture(svg, f"{title}. {words}", width)


def _square(x: float, y: float, cell: float, tau: float) -> str:
    opacity = round(tau**0.5, 3)
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{cell:g}" height="{cell:g}" fill="{OCHRE}" fill-opacity="{opacity}"/>'


def _words(data: PolicyData) -> str:
    active = data.entropy[data.active]
    entropy = f"mean entropy {active.mean():.2f} nats" if len(active) else "all decided"
    settled = ", ".join(f"{u} → {v}" for u, v in data.permanent)
    return f"{len(active)} of {len(data.active)} decisions active, {entropy}; permanent: {settled or 'none'}."
