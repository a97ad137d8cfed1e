"""Columns that are left out, with the reason, and used ones that had better be left out."""

from __future__ import annotations

from bnlab.analysis.preparation import LEFT_OUT
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.traits import WorkbenchTraits

LISTED = 5
"""Most columns that are named."""


def question_lines(panel: WorkbenchTraits) -> kit.Lines:
    """What was left out and why, and a question about used columns that say which row it is."""
    lines: list[list[kit.Control]] = []
    if panel.step in ("data", "variables") and (text := left_out_text(panel)):
        lines.append([kit.message("left-out", text)])
    if panel.step in ("data", "variables", "knowledge", "learn") and (names := panel._questioned):
        verb, it = ("says", "it") if len(names) == 1 else ("say", "them")
        text = f"{_reasons(panel, names)} {verb} which row it is: a network learns nothing from {it}."
        lines.append(
            [kit.message("question", text, "alert"), kit.button("ignore", f"Ignore {it}", enabled=not panel.busy)]
        )
    return lines


def left_out_text(panel: WorkbenchTraits) -> str:
    """Columns that are left out for what they hold, each with the reason; "" for none."""
    kinds = panel._session.kinds
    if kinds is None:
        return ""
    names = [name for name in panel._session.study.preparation.leave_out if kinds["kind"][name] in LEFT_OUT]
    return f"Ignored: {_reasons(panel, names)}." if names else ""


def _reasons(panel: WorkbenchTraits, names: list[str]) -> str:
    kinds = panel._session.kinds
    assert kinds is not None
    listed = [f"{name} ({kinds['advice'][name].partition(':')[0]})" for name in names[:LISTED]]
    more = len(names) - LISTED
    return ", ".join([*listed, *([f"{more:,} more"] if more > 0 else [])])
