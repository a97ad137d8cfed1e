"""Messages of what the controls of a workbench ask for."""

from __future__ import annotations

from typing import Any

from bnlab.widgets.base.pure import Set
from bnlab.widgets.workbench import messages
from bnlab.widgets.workbench.columns import PANEL
from bnlab.widgets.workbench.effects import ENDINGS
from bnlab.widgets.workbench.state import TYPED

EVIDENCE = {
    **dict.fromkeys(("network", "directions", "validation"), "compare"),
    "confidence": "trust",
    "target": "variables",
}
"""Step that shows the evidence of a finding."""


def message_of(form: str, id: str, value: Any, page: str = "") -> Any:
    """Message of a control of a form; None if it has none. `page` is the text of a page to write."""
    name, _, rest = id.partition(":")
    plain: dict[str, Any] = {
        **{change: messages.Prepare(change, "", value) for change in ("ignore", "merge-alike", *PANEL)},
        "learn": messages.Learn(),
        "again": messages.LearnAgain(),
        "recommended": messages.LearnRecommended(),
        "stop": messages.StopJob(),
        "remove": messages.Remove(),
        "edits": messages.KeepEdits(),
        "bootstrap": messages.Estimate("bootstrap"),
        "posterior": messages.Estimate("posterior"),
        "average": messages.Average(),
        "optimum": messages.FindOptimum(),
        "stop-optimum": messages.StopOptimum(),
        "upload": messages.Told("data", "The file could not be read by the browser."),
        "trust": messages.Estimate("bootstrap"),
        "edge:order": messages.Sort(value),
        "column": messages.Inspect(value),
        **{f"save-{kind}": messages.Write(kind, page=page) for kind in ENDINGS},
        **{f"download-{kind}": messages.Write(kind, page=page, download=True) for kind in ENDINGS},
    }
    if id in TYPED:
        text = value.strip() if isinstance(value, str) and form != "knowledge" else value
        return messages.Typed(id, text)
    if id in plain:
        return plain[id]
    if id in ("step", "estimate", "algorithm", "score", "shown", "reference", "beside", "replicates"):
        return Set(id, value)
    if id == "findings":
        return Set("step", EVIDENCE[value]) if value in [*EVIDENCE] else None
    if id == "threshold":
        return Set(id, None if value is None else value / 100)
    if name == "option":
        return messages.Option(rest, value)
    if name == "example":
        return messages.Load(rest)
    if name == "format":
        return messages.ReadAs(rest, value)
    if form in ("knowledge", "limits"):
        return messages.Rule(id, value)
    return messages.Prepare(name, rest, value) if form in ("columns", "details") else None
