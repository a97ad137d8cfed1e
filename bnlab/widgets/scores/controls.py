"""Sliders, lists and boxes of a score panel, and how they stand for its traits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import ceil, floor, log10
from typing import Any

import ipywidgets

from bnlab.widgets.scores.content import ESS_DECADES, Settings, kind
from bnlab.widgets.scores.legend import ScoreLegend

BEST = "the best network"
NOBODY = "none"
STEP = 0.05
PAIR = {"width": "100%", "min_width": "0"}
ALONE = {"width": "auto", "min_width": "0"}
DESCRIPTION = {"description_width": "104px"}
GRID = {
    "width": "100%",
    "grid_template_columns": "repeat(auto-fit, minmax(min(100%, max(300px, 30%)), 1fr))",
    "grid_gap": "2px 24px",
}

TEXTS = {
    "ess": ("ess", "Equivalent sample size of BDeu and BDe: how many rows the prior is worth"),
    "alpha": ("alpha", "Confidence level of the tests in MIT"),
    "n_rows": ("rows", "How many of the first rows are scored"),
    "reference": ("difference from", "Network that scores are measured from"),
    "score": (
        "score",
        "Score of the nodes, of the growing sample and of the sentence; a click on its row does the same",
    ),
    "hovered": ("node", "Node to light up here and in linked graphs"),
}
SLIDERS = ("ess", "alpha", "n_rows")
CHOICES = ("reference", "score", "hovered")


class ScoreControls:
    """The controls; they tell a callable what was chosen, and are put where the settings stand.

    Parameters
    ----------
    networks, scores, nodes : sequence of str
    sizes : sequence of int
        Numbers of rows to choose from, the last all; a single one cannot be changed.
    choose : callable (trait name, value)
        Called from whatever thread the kernel runs callbacks in.

    Attributes
    ----------
    sliders, typed, choices : dict of str to widget
    legend : ScoreLegend
    settings : widget
        All but the legend, arranged.
    """

    def __init__(
        self,
        networks: Sequence[str],
        scores: Sequence[str],
        nodes: Sequence[str],
        sizes: Sequence[int],
        choose: Callable[[str, Any], None],
    ) -> None:
        self._lists = {"reference": (None, *networks), "score": tuple(scores), "hovered": (None, *nodes)}
        self._choose = choose
        self.sliders = _sliders(sizes[-1])
        self.typed = {name: _number(name) for name in SLIDERS}
        self.sliders["n_rows"].disabled = self.typed["n_rows"].disabled = len(sizes) == 1
        labels = {
            "reference": [BEST, *networks],
            "score": [kind(score) for score in scores],
            "hovered": [NOBODY, *nodes],
        }
        self.choices = {name: _list(name, labels[name]) for name in CHOICES}
        self.legend = ScoreLegend(networks, {_class(name): ", ".join(TEXTS[name]) for name in SLIDERS})
        for name in SLIDERS:
            self.sliders[name].add_class(_class(name))
            self.typed[name].add_class(_class(name))
        pairs = [ipywidgets.HBox([self.sliders[name], self.typed[name]], layout=PAIR) for name in SLIDERS]
        self.settings = ipywidgets.GridBox([*pairs, *self.choices.values()], layout=GRID)
        self._settings: Settings | None = None

    def watch(self) -> None:
        """Tell from now on what is chosen."""
        for name in SLIDERS:
            self.sliders[name].observe(partial(self._slid, name), "value")
            self.typed[name].observe(partial(self._given, name), "value")
        for name, choice in self.choices.items():
            choice.observe(partial(self._listed, name), "value")
        self.legend.on_msg(self._toggled)

    def place(self, settings: Settings) -> None:
        """Put each control where the settings stand; a range that is too short for it grows."""
        self._settings = settings
        ess, alpha = self.sliders["ess"], self.sliders["alpha"]
        ess.min, ess.max = min(ess.min, floor(log10(settings.ess))), max(ess.max, ceil(log10(settings.ess)))
        alpha.min, alpha.max = min(alpha.min, settings.alpha), max(alpha.max, settings.alpha)
        rows = self.sliders["n_rows"]
        rows.min = min(rows.min, log10(settings.n_rows))
        for name, values in self._lists.items():
            self.choices[name].value = values.index(getattr(settings, name))
        self.legend.selected = list(settings.selected)
        for name in SLIDERS:
            self.sliders[name].value = self.typed[name].value = getattr(settings, name)

    def _slid(self, name: str, change: Any) -> None:
        """Follow a slider, but not where the page only rounds a value that code or keys have set to its steps."""
        now, new = self._now(name), change["new"]
        way = abs(new - now) if name == "alpha" else abs(log10(new / now))
        if way > self.sliders[name].step / 2:
            self._given(name, {"new": float(f"{new:.3g}") if name == "ess" else round(new, 6)})

    def _given(self, name: str, change: Any) -> None:
        value = round(change["new"]) if name == "n_rows" else change["new"]
        if value != self._now(name):
            self._choose(name, value)

    def _listed(self, name: str, change: Any) -> None:
        value = self._lists[name][change["new"]]
        if value != self._now(name):
            self._choose(name, value)

    def _toggled(self, _: Any, content: Any, __: Any) -> None:
        name, shown = content["name"], self._now("selected")
        self._choose("selected", tuple(n for n in shown if n != name) if name in shown else (*shown, name))

    def _now(self, name: str) -> Any:
        return getattr(self._settings, name)


def _class(name: str) -> str:
    return f"bnlab-score-{name}"


def _sliders(n_rows: int) -> dict[str, Any]:
    low, high = ESS_DECADES
    shared = {"readout": False, "layout": {"flex": "1 1 auto", "width": "auto", "min_width": "0"}, "style": DESCRIPTION}
    rows = log10(n_rows)
    sliders = {
        "ess": ipywidgets.FloatLogSlider(1, min=low, max=high, step=STEP, **shared),
        "alpha": ipywidgets.FloatSlider(0.99, min=0.5, max=0.999, step=0.001, **shared),
        "n_rows": ipywidgets.FloatLogSlider(n_rows, min=min(1.0, rows), max=rows, step=STEP, **shared),
    }
    for name, slider in sliders.items():
        slider.description, slider.tooltip = TEXTS[name]
    return sliders


def _number(name: str) -> Any:
    kind_of = ipywidgets.IntText if name == "n_rows" else ipywidgets.FloatText
    return kind_of(tooltip=f"{TEXTS[name][0]}, as a number", layout={"width": "90px", "flex": "0 0 auto"})


def _list(name: str, labels: Sequence[str]) -> Any:
    # Options by number: one whose value is None would count as nothing chosen.
    options = [(label, i) for i, label in enumerate(labels)]
    text, tip = TEXTS[name]
    return ipywidgets.Dropdown(options=options, description=text, tooltip=tip, layout=ALONE, style=DESCRIPTION)
