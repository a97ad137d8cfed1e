"""Settings of a workbench as traits."""
# mypy: allow-untyped-decorators

from __future__ import annotations

from typing import Any

import traitlets

from bnlab.analysis.choices import learner, options_of, score
from bnlab.analysis.session import Session
from bnlab.widgets.base.panel import Panel


class WorkbenchTraits(Panel):
    """Part of `Workbench` that needs no page."""

    status = traitlets.Unicode("Load data to begin.")
    """Last message."""
    busy = traitlets.Bool(False)
    """Whether a job is running."""
    algorithm = traitlets.Unicode("hill-climbing")
    """Learner of the button "Learn", as `bnlab.learn` names it."""
    score = traitlets.Unicode("bic")
    """Score of the learner."""
    options = traitlets.Dict()
    """Options of the learner and parameters of the score that differ from the suggested ones."""
    shown = traitlets.Unicode(None, allow_none=True)
    """Network that is shown."""
    reference = traitlets.Unicode(None, allow_none=True)
    """Network that the shown one is compared with."""
    replicates = traitlets.Int(100, min=1)
    """Number of bootstrap samples."""
    threshold = traitlets.Float(None, allow_none=True, min=0.0, max=1.0)
    """Least share of the bootstrap samples that have an edge of the consensus network; None for the suggested one."""

    _session: Session

    def _present_options(self) -> dict[str, Any]:
        """Options that the present learner and score have."""
        known = {option.name for option in options_of(self.algorithm, self.score)}
        return {name: value for name, value in self.options.items() if name in known}

    @traitlets.validate("algorithm")
    def _check_algorithm(self, proposal: Any) -> str:
        return learner(proposal["value"]).name

    @traitlets.validate("score")
    def _check_score(self, proposal: Any) -> str:
        return score(proposal["value"]).name

    @traitlets.validate("shown", "reference")
    def _check_network(self, proposal: Any) -> str | None:
        return None if proposal["value"] is None else self._session.known(proposal["value"])
