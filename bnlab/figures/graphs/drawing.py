"""Parts of pictures of graphs as SVG: nodes, curves of edges, arrows, tags and legends.

A curve is a list of cubic Bézier pieces, ndarrays of float64 of shape (4, 2), in pixels. It follows the route of its
edge if the layout has one; otherwise it is straight, or bends around the nodes in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bnlab._runtime.names import check_known
from bnlab.figures.graphs.coordinates import FloatArray as FloatArray
from bnlab.figures.graphs.layout import NODE_HEIGHT, Edge, Layout
from bnlab.figures.picture import Picture
from bnlab.figures.svg import document, element, escaped, label, number, shortened, shortened_states, text_width
from bnlab.figures.theme import GREY, INK, MARKED_OUTLINE, MARKED_PAPER, OUTLINE, PAPER, SIZE, SMALL, colour

Curve: TypeAlias = list[FloatArray]

BOWS = (0.0, 24.0, -24.0, 48.0, -48.0, 80.0, -80.0, 120.0, -120.0)
"""Pixels that an edge bends sideways, tried in this order; as in the page of the graph widget."""
BOW = 17.0
"""Pixels that an edge bends away from its reverse."""
CLEARANCE = 6.0
"""Pixels between an edge and the nodes beside it."""
SHARES = np.arange(1, 16) / 16
FLATTEST = 1.5
"""Maximum pixels sideways per pixel down where a line leaves its node, so that it clears the nodes beside."""
HANDLE = 0.42


def edge_curve(layout: Layout, edge: Edge, *, boxes: bool = False) -> Curve:
    """Curve of an edge from the rim of its first node to the rim of its second; nodes are ellipses or boxes."""
    route = layout.route(*edge)
    return between_rims([bowed(layout, *edge)] if route is None else smooth(route), layout, *edge, boxes=boxes)


def bowed(layout: Layout, u: int, v: int) -> FloatArray:
    """Bézier piece from centre to centre, shape (4, 2), that meets the fewest other nodes and stays in the picture."""
    others = np.delete(np.arange(len(layout.centres)), [u, v])
    centres, radii = layout.centres[others], layout.sizes[others] / 2 + CLEARANCE

    def in_the_way(piece: FloatArray) -> int:
        points = on_piece(piece, SHARES)
        apart = ((points[:, None] - centres) / radii) ** 2
        outside = (points < -CLEARANCE) | (points > np.array(layout.size) + CLEARANCE)
        return int((apart.sum(axis=2) <= 1).sum() + outside.any(axis=1).sum())

    return min((bow(layout.centres[u], layout.centres[v], aside) for aside in BOWS), key=in_the_way)


def bow(a: FloatArray, b: FloatArray, aside: float) -> FloatArray:
    """Bézier piece from a to b that bends by `aside` pixels to the left of its direction."""
    along = b - a
    across = np.array([along[1], -along[0]]) * (4 / 3 * aside) / max(float(np.hypot(*along)), 1.0)
    return np.array([a, a + along / 3 + across, b - along / 3 + across, b])


def smooth(route: FloatArray) -> Curve:
    """Curve through points without overshoot: x is a monotone cubic of y (Fritsch and Carlson 1980).

    A route with level parts that goes from left to right, or back, has a y that is such a function of x.
    """
    steps = np.diff(route, axis=0)
    if (np.abs(steps[:, 1]) < 1e-9).any():
        if (steps[:, 0] > 1e-9).all() or (steps[:, 0] < -1e-9).all():
            return [piece[:, ::-1] for piece in smooth(route[:, ::-1])]
        return [bow(a, b, 0.0) for a, b in pairwise(route)]
    slopes = steps[:, 0] / steps[:, 1]
    turning = slopes[:-1] * slopes[1:] <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        between = np.where(turning, 0.0, 2 / (1 / slopes[:-1] + 1 / slopes[1:]))
    tangents = np.clip(np.concatenate([slopes[:1], between, slopes[-1:]]), -FLATTEST, FLATTEST)
    handles = steps[:, 1] * np.where(np.abs(slopes) <= FLATTEST, 1 / 3, HANDLE)
    leaving = route[:-1] + np.column_stack([tangents[:-1] * handles, handles])
    entering = route[1:] - np.column_stack([tangents[1:] * handles, handles])
    return list(np.stack([route[:-1], leaving, entering, route[1:]], axis=1))


def between_rims(curve: Curve, layout: Layout, u: int, v: int, *, boxes: bool = False) -> Curve:
    """Part of a curve between the rims of the nodes at its ends, ellipses or boxes."""

    def outside(node: int) -> Callable[[float, float], bool]:
        (left, top), (wide, high) = layout.centres[node].tolist(), (layout.sizes[node] / 2 + 1).tolist()
        if boxes:
            return lambda x, y: max(abs(x - left) / wide, abs(y - top) / high) > 1
        return lambda x, y: ((x - left) / wide) ** 2 + ((y - top) / high) ** 2 > 1

    return _backwards(until(_backwards(until(curve, outside(v))), outside(u)))


def _backwards(curve: Curve) -> Curve:
    return [piece[::-1] for piece in reversed(curve)]


def until(curve: Curve, clear: Callable[[float, float], bool]) -> Curve:
    """Part of a curve up to the point from which it is not `clear` of the node or arrow head at its end."""
    kept = list(curve)
    while len(kept) > 1 and not clear(*kept[-1][0].tolist()):
        kept.pop()
    # On plain numbers: an array for each point would take ten times as long.
    xs, ys = kept[-1].T.tolist()
    low, high = 0.0, 1.0
    for _ in range(20):
        t = (low + high) / 2
        s = 1 - t
        a, b, c, d = s**3, 3 * t * s**2, 3 * t**2 * s, t**3
        point = (a * u + b * v + c * w + d * z for u, v, w, z in (xs, ys))
        low, high = (t, high) if clear(*point) else (low, t)
    return [*kept[:-1], _split(kept[-1], low)]


def _split(piece: FloatArray, t: float) -> FloatArray:
    """First part of a Bézier piece, up to t (de Casteljau)."""
    corners, rest = [piece[0]], piece
    while len(rest) > 1:
        rest = (1 - t) * rest[:-1] + t * rest[1:]
        corners.append(rest[0])
    return np.array(corners)


def at(curve: Curve, share: float) -> FloatArray:
    """Point at a share of a curve, whose pieces count alike."""
    along = share * len(curve)
    piece = min(int(along), len(curve) - 1)
    return on_piece(curve[piece], along - piece)


def on_piece(piece: FloatArray, t: ArrayLike) -> FloatArray:
    """Points of a Bézier piece at t from 0 to 1, shape of t and (2,)."""
    s = np.asarray(t, dtype=np.float64)
    weights = np.stack([(1 - s) ** 3, 3 * s * (1 - s) ** 2, 3 * s**2 * (1 - s), s**3], axis=-1)
    return np.asarray(weights @ piece)


NamedEdge: TypeAlias = tuple[str, str]
Bars: TypeAlias = Mapping[str, Any]
"""Bars of a node: states, and the probability p of each."""

LONGEST_NAME = 24
BARS_WIDTH = 138.0
STATE_LETTERS, SHARE_ROOM = 12, 67.0
BARS_HEADING, BAR_HEIGHT = 22.0, 15.0  # as in the page of the graph widget
NAME_SIZE, LABEL_SIZE = float(SIZE), float(SMALL)
MARGIN = 6.0
HEAD_LENGTH, HEAD_WIDTH = 9.0, 7.0
DASHES = (None, "7 4", "2 4", "11 3 2 3")
NODE = "a3.5,3.5 0 1 0 7,0a3.5,3.5 0 1 0 -7,0"
BETWEEN_NODES = f"{NODE}m7,0h14{NODE}"
"""Path of a sample line of 28 pixels between two nodes; as in the page of the graph widget."""
NODE_STYLES: dict[bool, dict[str, object]] = {
    False: {"fill": PAPER, "stroke": OUTLINE, "stroke_width": 1.4},
    True: {"fill": MARKED_PAPER, "stroke": MARKED_OUTLINE, "stroke_width": 2.6},
}
"""Attributes of nodes, by whether they are marked."""


@dataclass(frozen=True)
class Stroke:
    """How the edges of one class are drawn; in legends, perhaps between two nodes, for want of an arrowhead."""

    colour: str
    width: float = 1.6
    dash: str | None = None
    between_nodes: bool = False

    def attributes(self) -> dict[str, object]:
        """Attributes of a line."""
        return {"stroke": self.colour, "stroke_width": self.width, "stroke_dasharray": self.dash}


class DrawnEdge(NamedTuple):
    """An edge as it is drawn, from rim to rim.

    The legend counts it as its `kind` and also as `also`, the text alternative adds its `note`, and its `tag` is at the
    share `tag_at` of the curve.
    """

    u: str
    v: str
    curve: Curve
    stroke: Stroke
    kind: str = ""
    note: str = ""
    tag: str = ""
    tag_at: float = 0.5
    directed: bool = True
    on_top: bool = False
    also: str = ""

    @property
    def words(self) -> str:
        """Both ends with an arrow or a dash between."""
        return f"{self.u} {'→' if self.directed else '–'} {self.v}"

    def draw(self) -> str:
        """Line with its arrow head."""
        curve, head = self.curve, ""
        if self.directed:
            tip = curve[-1][3]
            left, top = tip.tolist()
            curve = until(curve, lambda x, y: hypot(x - left, y - top) > HEAD_LENGTH - 1)
            head = self._head(curve[-1][3], tip)
        pieces = (" ".join(map(number, piece[1:].ravel())) for piece in curve)
        path = "C".join(["M" + " ".join(map(number, curve[0][0])), *pieces])
        line = element("path", d=path, fill="none", **self.stroke.attributes())
        return element("g", element("title", escaped(self.words)), line, head)

    def _head(self, base: FloatArray, tip: FloatArray) -> str:
        along = (tip - base) / max(float(np.hypot(*(tip - base))), 1e-9)
        across = np.array([-along[1], along[0]]) * (HEAD_WIDTH + self.stroke.width) / 2
        back = tip - along * HEAD_LENGTH
        corners = np.array([tip, back + across, back - across])
        return element("polygon", points=" ".join(map(number, corners.ravel())), fill=self.stroke.colour)

    def draw_tag(self) -> str:
        """Tag on a white plate, across the line."""
        text = shortened(self.tag, LONGEST_NAME)
        width, (x, y) = text_width(text, LABEL_SIZE) + 10, at(self.curve, self.tag_at).tolist()
        plate = element("rect", x=x - width / 2, y=y - 9, width=width, height=18, rx=5, fill="#ffffff", stroke=GREY)
        return plate + label(text, x, y, size=LABEL_SIZE, fill=INK)


def check_named(
    names: Sequence[str], edges: Collection[NamedEdge], *, nodes: Iterable[str] = (), of_edges: Iterable[NamedEdge] = ()
) -> None:
    """Raise ValueError if the graph lacks one of the nodes, or one of the edges that have a class or a label."""
    for name in nodes:
        check_known(name, names, f"no node {name!r} in the graph")
    for edge in of_edges:
        if edge not in edges:
            raise ValueError(f"no edge {edge!r} in the graph: classes and labels are for its edges.")


def widths(names: Sequence[str]) -> FloatArray:
    """Widths of ellipses that contain the names."""
    return np.array([max(52.0, 1.07 * text_width(shortened(name, LONGEST_NAME), NAME_SIZE) + 18) for name in names])


def node_sizes(names: Sequence[str], bars: Mapping[str, Bars]) -> FloatArray:
    """Width and height of each node, shape (n, 2); nodes with bars are boxes that contain them."""
    sizes = np.column_stack([widths(names), np.full(len(names), NODE_HEIGHT)])
    for i, name in enumerate(names):
        if name in bars:
            states = shortened_states([*map(str, bars[name]["states"])], STATE_LETTERS)
            # States that look alike when they are short get the room to differ.
            long = [text_width(state, LABEL_SIZE) + SHARE_ROOM for state in states if len(state) > STATE_LETTERS]
            sizes[i] = max(sizes[i, 0], BARS_WIDTH, *long), BARS_HEADING + BAR_HEIGHT * len(states) + 6
    return sizes


def node(
    name: str, layout: Layout, i: int, shape: str, look: Mapping[str, Any], words: str = "", ink: str = INK
) -> str:
    """Node number `i` as an oval, box or diamond with its name in the colour `ink` and a tooltip, `words`."""
    (x, y), (a, b) = layout.centres[i].tolist(), (float(layout.sizes[i, 0]) / 2, NODE_HEIGHT / 2)
    corners = f"{x:g},{y - b:g} {x + a:g},{y:g} {x:g},{y + b:g} {x - a:g},{y:g}"
    shapes: dict[str, tuple[str, dict[str, object]]] = {
        "oval": ("ellipse", {"cx": x, "cy": y, "rx": a, "ry": b}),
        "box": ("rect", {"x": x - a, "y": y - b, "width": 2 * a, "height": 2 * b, "rx": 3}),
        "diamond": ("polygon", {"points": corners}),
    }
    tag, places = shapes[shape]
    text = label(shortened(name, LONGEST_NAME), x, y, size=NAME_SIZE, fill=ink)
    return element("g", element("title", escaped(words or name)), element(tag, **places, **look), text)


def ellipses(names: Sequence[str], layout: Layout, marked: Collection[str] = ()) -> list[str]:
    """Nodes as ellipses, some of them in another colour."""
    return [node(name, layout, i, "oval", NODE_STYLES[name in marked]) for i, name in enumerate(names)]


def barred(names: Sequence[str], layout: Layout, bars: Mapping[str, Bars], marked: Iterable[str]) -> list[str]:
    """Nodes as boxes with the probabilities of their states as bars, some of them in another colour."""
    marked, drawn = frozenset(marked), []
    for name, (x, y), (width, height) in zip(names, layout.centres.tolist(), layout.sizes.tolist(), strict=True):
        left, top, room = x - width / 2 + 6, y - height / 2 + BARS_HEADING, width - 12
        box = {"x": x - width / 2, "y": y - height / 2, "width": width, "height": height, "rx": 6}
        parts = [
            element("title", escaped(name)),
            element("rect", **box, **NODE_STYLES[name in marked]),
            label(shortened(name, LONGEST_NAME), x, top - 10 if name in bars else y, size=NAME_SIZE, fill=INK),
        ]
        shown = bars.get(name, {"states": (), "p": ()})
        states = shortened_states([*map(str, shown["states"])], STATE_LETTERS)
        for i, (state, p) in enumerate(zip(states, shown["p"], strict=True)):
            row = {"x": left, "y": top + i * BAR_HEIGHT, "height": BAR_HEIGHT - 1, "rx": 2}
            middle = top + (i + 0.5) * BAR_HEIGHT
            parts.append(element("rect", **row, width=room, fill="#ffffff"))
            parts.append(element("rect", **row, width=max(room * p, 0.5), fill=OUTLINE, fill_opacity=0.45))
            parts.append(label(state, left + 4, middle, size=LABEL_SIZE, fill=INK, anchor="start"))
            parts.append(label(f"{p:.0%}", left + room - 3, middle, size=LABEL_SIZE, fill=INK, anchor="end"))
        drawn.append(element("g", *parts))
    return drawn


def bar_words(bars: Mapping[str, Bars]) -> str:
    """Probabilities of the bars, as a sentence of the text alternative."""
    nodes = (
        f"{name}: {', '.join(f'{s} {p:.0%}' for s, p in zip(shown['states'], shown['p'], strict=True))}"
        for name, shown in bars.items()
    )
    return f" Probabilities: {'; '.join(nodes)}." if bars else ""


def strokes(classes: Iterable[str], *, width: float) -> dict[str, Stroke]:
    """Stroke of each class, with its own colour and dashes, in order of occurrence."""
    return {name: Stroke(colour(i), width, DASHES[i % len(DASHES)]) for i, name in enumerate(dict.fromkeys(classes))}


def _legend(entries: Mapping[str, Stroke], kinds: Sequence[str], limit: float) -> tuple[list[str], float, float]:
    """Entries with a sample line, name and count, wrapped at `limit` pixels; and their width and height."""
    drawn: list[str] = []
    left, top, right = 0.0, 18.0, 0.0
    for name, stroke in entries.items():
        text = f"{name} {kinds.count(name)}"
        width = text_width(text, 12) + 56
        if left > 0 and left + width > max(limit, 240):
            left, top = 0.0, top + 30
        drawn.append(element("rect", x=left, y=top, width=width, height=24, rx=6, fill="#ffffff", stroke=GREY))
        if stroke.between_nodes:
            start = f"M{number(left + 10)},{number(top + 12)}"
            drawn.append(element("path", d=start + BETWEEN_NODES, fill="none", **stroke.attributes()))
        else:
            ends = {"x1": left + 10, "x2": left + 38, "y1": top + 12, "y2": top + 12}
            drawn.append(element("line", **ends, **stroke.attributes()))
        drawn.append(label(text, left + 46, top + 12, size=SMALL, fill=INK, anchor="start"))
        right = max(right, left + width)
        left += width + 8
    return drawn, right, top + 24 if drawn else 0.0


def picture(
    names: Sequence[str],
    layout: Layout,
    nodes: Sequence[str],
    edges: Sequence[DrawnEdge],
    legend: Mapping[str, Stroke],
    summary: str,
    title: str | None = None,
    more: str = "",
) -> Picture:
    """Graph drawn by its layout, with a legend below that counts the edges of each kind.

    The text alternative has the title, the summary, the edges in this order, and `more`.
    """
    counted = [kind for edge in edges for kind in (edge.kind, edge.also)]
    entries, legend_width, legend_height = _legend(legend, counted, layout.size[0])
    width = max(layout.size[0], legend_width) + 2 * MARGIN
    height = layout.size[1] + legend_height + 2 * MARGIN
    drawn = sorted(edges, key=lambda edge: edge.on_top)
    parts = [*(edge.draw() for edge in drawn), *nodes, *(edge.draw_tag() for edge in drawn if edge.tag)]
    left, below = number((width - layout.size[0]) / 2), number(layout.size[1] + MARGIN)
    whole = [element("g", *parts, transform=f"translate({left} {number(MARGIN)})")]
    if entries:
        whole.append(element("g", *entries, transform=f"translate({number(MARGIN)} {below})"))
    summary = f"{title}: {summary}" if title else summary
    listed = [edge.words + edge.note for edge in edges] or names
    description = f"{'Edges' if edges else 'Nodes'}: {', '.join(listed)}.{more}"
    svg = document(width, height, *whole, title=summary, description=description)
    return Picture(svg, f"{summary}. {description}", width)
