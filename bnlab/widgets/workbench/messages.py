"""Messages of a workbench."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from bnlab.analysis.files import Source
from bnlab.analysis.preparation_editor import PreparationEditor
from bnlab.analysis.recipe import Recipe
from bnlab.analysis.session import Estimated, Learned, Session
from bnlab.analysis.study import Study
from bnlab.learners.exact.optimum import Optimum
from bnlab.widgets.base.pure import Message
from bnlab.widgets.workbench.measures import Held, Prediction, Question
from bnlab.widgets.workbench.state import File, Pictured, Sketch


class Load(Message):
    """Load data of any kind that a workbench takes, or open the session of a path."""

    data: Any


class Upload(Message):
    """Load data or open a session from the content of a file."""

    name: str
    content: bytes


class ReadAs(Message):
    """Read the file of the data with another value of a part of its format, as the control holds it."""

    part: str
    value: Any


class Open(Message):
    """Open a study from a file that had a digest, with data or those that it names."""

    path: Path
    digest: str | None
    study: Study
    data: Any


class Typed(Message):
    """A field that is not public has another value."""

    name: str
    value: Any


class Option(Message):
    """An option of the learner or a parameter of the score has another value."""

    name: str
    value: Any


class Inspect(Message):
    """Show the details of a column."""

    column: str


class Edit(Message):
    """Apply another preparation."""

    editor: PreparationEditor


class Prepare(Message):
    """A control of the preparation has another value, mostly of the columns or of the details of the shown column.

    `of` is a column, or a state in the details.
    """

    what: str
    of: str
    value: Any


class Rule(Message):
    """A control of the background knowledge has another value."""

    control: str
    value: Any


class Learn(Message):
    """Learn a network, by default with the recipe and the name of the form."""

    recipe: Recipe | None = None
    name: str | None = None


class LearnRecommended(Message):
    """Choose the suggested learner, and learn a network."""


class LearnAgain(Message):
    """Learn the shown network again, under the current background knowledge."""


class Estimate(Message):
    """Estimate the confidence of the edges of a network, by default of the shown one."""

    method: str
    name: str | None = None
    replicates: int | None = None


class StopJob(Message):
    """End the running job after its current step."""


class Average(Message):
    """Add the consensus network of a network, by default of the shown one."""

    name: str | None = None
    threshold: float | None = None


class KeepEdits(Message):
    """Add the network as edited in its picture."""


class Add(Message):
    """Add a network from elsewhere."""

    name: str
    graph: Any


class Remove(Message):
    """Remove a network, by default the shown one."""

    name: str | None = None


class FindOptimum(Message):
    """Find the distance of the shown network to the optimum."""


class StopOptimum(Message):
    """End the exact search with its bound so far."""


class Sort(Message):
    """Sort the table of edges by the column of a head."""

    head: str


class Write(Message):
    """Write a file of a kind; without a path, beside others named as in the form, or as a download of the browser.

    `page` is the text of a page.
    """

    kind: str
    path: Path | None = None
    title: str = ""
    overwrite: bool = False
    page: str = ""
    download: bool = False


class Picture(Message):
    """The picture of the shown network has changed; None if it is too large to draw."""

    pictured: Pictured | None


class Told(Message):
    """A form shows a message."""

    form: str
    text: str
    failed: bool = True


class Refused(Message):
    """Data were read but cannot be used."""

    source: Source


class Loaded(Message):
    """Data or a study were loaded, with a remark or "" and perhaps in a corrected format."""

    session: Session
    note: str
    corrected: bool


class Progress(Message):
    """How far the job is."""

    share: float | None
    text: str


class Sketched(Message):
    """The graph of the running search at present."""

    sketch: Sketch


class Done(Message):
    """A network was learned, or the confidence of its edges estimated; `replicates` were wanted."""

    result: Learned | Estimated
    replicates: int = 0


class Compared(Message):
    """Scores and comparison of the networks; a network and a step are to be shown."""

    results: pd.DataFrame
    comparison: str
    shown: str | None
    step: str | None


class HeldOut(Message):
    """How well a network predicts held-out rows, None if that was not computed to its end."""

    held: Held
    value: Prediction | None


class Searching(Message):
    """How far the exact search is."""

    text: str


class Found(Message):
    """The exact search has ended."""

    question: Question
    optimum: Optimum


class Written(Message):
    """A file was written; the data of `source` are now in the file of `kept`."""

    text: str
    source: Source | None
    kept: Source | None


class Offered(Message):
    """A file for the browser was made."""

    file: File
