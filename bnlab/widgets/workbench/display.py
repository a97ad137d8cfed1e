"""The parts of a workbench from top to bottom: forms, pictures and tables, and how its page is shown in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import ipywidgets

from bnlab.widgets.base.controls import Controls
from bnlab.widgets.base.parts import column, html_line, row, show_part
from bnlab.widgets.workbench.page import FORMS
from bnlab.widgets.workbench.pictures import NetworkPictures, SearchPictures

WIDE, NARROW = "5 1 660px", "1 1 350px"
FINDINGS, EVIDENCE = "2 1 380px", "3 1 560px"


class WorkbenchDisplay:
    """Forms of all steps, pictures of networks and of the running search, and tables.

    Parameters
    ----------
    changed : callable (change)
        Called when the user changes the picture of the shown network.

    Attributes
    ----------
    forms : dict of str to Controls
        Forms of all steps, and "steps", which is above them.
    pictures : NetworkPictures
    parts : list of Widget
        From top to bottom.
    """

    def __init__(self, changed: Callable[[Any], object]) -> None:
        self.forms = {name: Controls(label, heading=name != "steps") for name, label in FORMS.items()}
        self.forms["steps"].add_class("bnlab-sticky")
        self._changed, self._is_showing = changed, False
        self.pictures, self._search = NetworkPictures(self._picture_changed), SearchPictures()
        self._comparison, self._rules = html_line(), html_line()
        self._comparison.add_class("bnlab-shaded")
        self._findings = column(FINDINGS, self.forms["findings"])
        self._beside = {
            name: column(EVIDENCE, self.forms[form]) for name, form in (("compare", "list"), ("trust", "trust"))
        }
        self._places = self._laid_out()
        for place, part in (
            ("network", self.pictures.part),
            ("confidence", self.forms["trust"]),
            ("directions", self.forms["edges"]),
            ("validation", self.forms["list"]),
        ):
            part.add_class(f"bnlab-place-{place}")
        self.parts = [self.forms["steps"], *self._places, self._search.part]
        self._offered: Any = None

    def _laid_out(self) -> dict[ipywidgets.Widget, tuple[str, ...]]:
        """Parts of the page from top to bottom, each with the steps that show it."""
        forms = self.forms
        rules = column(WIDE, forms["knowledge"], self._rules)
        return {
            forms["data"]: ("data",),
            row(column(WIDE, forms["columns"]), column(NARROW, forms["details"])): ("variables",),
            forms["patterns"]: ("variables",),
            row(rules, column(NARROW, forms["limits"])): ("knowledge",),
            forms["learn"]: ("learn",),
            row(self._findings, *self._beside.values()): ("compare", "trust"),
            self.pictures.part: ("compare", "trust"),
            forms["edges"]: ("compare", "trust"),
            self._comparison: ("compare",),
            forms["files"]: ("export",),
        }

    def show(self, page: Mapping[str, Any]) -> None:
        """Show a page; what it does not change stays."""
        self._is_showing = True
        try:
            self.forms["details"].label = page["details"]
            for name, lines in page["forms"].items():
                self.forms[name].show(lines)
            for part, steps in self._places.items():
                show_part(part, page["step"] in steps)
            show_part(self._findings, bool(page["forms"]["findings"]))
            for step, part in self._beside.items():
                show_part(part, page["step"] == step)
            self._rules.value, self._comparison.value = page["rules"], page["comparison"]
            first, second = page["networks"]
            self.pictures.show(first, second, page["knowledge"])
            self._search.show(page["sketch"])
            if page["offered"] is not self._offered:
                self._offered = page["offered"]
                self.forms["files"].offer(*self._offered)
        finally:
            self._is_showing = False

    def close(self) -> None:
        """Remove the pictures."""
        self._search.show(None)
        self.pictures.close()

    def _picture_changed(self, change: Any) -> None:
        if not self._is_showing:
            self._changed(change)
