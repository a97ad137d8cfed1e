"""Form of a workbench that reads data: the file, its first rows and its format."""

from __future__ import annotations

from typing import Any

import pandas as pd

from bnlab.analysis.files import WRITTEN, Source
from bnlab.analysis.session import Session
from bnlab.data.encodings import ENCODINGS
from bnlab.data.file_format import FileFormat
from bnlab.data.packed import PACKED
from bnlab.data.readers import SUFFIXES
from bnlab.graphs.dag import counted
from bnlab.widgets.base import controls as kit
from bnlab.widgets.workbench.state import State

SOURCES = f"A file of data ({', '.join(SUFFIXES)}), or a saved session"
ACCEPTED = ",".join((*SUFFIXES, *PACKED, ".json"))
EXAMPLES = {
    "heart": ("Heart disease", "270 patients, 13 findings; numbers are cut into intervals"),
    "vote": ("Votes of 1984", "435 members of the US House of Representatives, 16 votes, some of them missing"),
    "iris-bezdek": ("Iris flowers", "150 flowers of three species, measured in centimetres"),
}
"""Data sets of the catalogue that an empty page offers, with label and tip."""
SEPARATORS = {",": "Comma", ";": "Semicolon", "\t": "Tab", "|": "Pipe", " ": "Blanks"}
DECIMALS = {".": "Point", ",": "Comma"}
THOUSANDS = {"": "None", ",": "Comma", ".": "Point", "'": "Apostrophe", " ": "Space"}
HEADERS = {True: "Column names", False: "Data"}
ENCODING_LABELS = {"utf-8": "UTF-8", "cp1252": "Windows-1252", "latin-1": "Latin-1", "utf-16": "UTF-16"}
NO_PANEL = "Not a panel"
ROWS, COLUMNS, LENGTH = 4, 12, 40
"""Rows, columns and characters of a cell in the preview."""


def data_lines(state: State) -> kit.Lines:
    """Form that reads data, with the first rows of the last data."""
    source = state.read
    if source is None:
        return [
            [kit.file("upload", "Drop a file here, or click to choose one", SOURCES, accept=ACCEPTED, drop=True)],
            [kit.message("examples", "Or begin with an example:", hint=True)],
            [kit.button(f"example:{name}", label, tip) for name, (label, tip) in EXAMPLES.items()],
            _path_line(state),
            state.message_line("data"),
        ]
    return [
        [kit.file("upload", "Upload a file …", SOURCES, accept=ACCEPTED), *_path_line(state)],
        state.message_line("data"),
        *([] if source is not state.session.source else _panel_lines(state)),
        *_format_lines(state, source),
        *_first_rows(source),
    ]


def _path_line(state: State) -> list[kit.Control]:
    return [
        kit.text("path", "or path", state.typed["path"], SOURCES, placeholder="data.csv"),
        kit.button("load", "Load", "Read this file"),
    ]


def is_usual(format: FileFormat | None) -> bool:
    """Whether nobody needs to check the format of a file: data without one, a plain text file, or a written one."""
    return format in (None, FileFormat(), WRITTEN)


def _first_rows(source: Source) -> kit.Lines:
    frame, more = source.frame.iloc[:ROWS, :COLUMNS], source.frame.shape[1] - COLUMNS
    texts = [_short(name) for name, column in frame.items() if column.dtype.kind not in "biuf"]
    if frame.empty:
        return []
    return [
        [kit.table("preview", "First rows", ["Row", *map(_short, frame.columns)], _rows(frame), left=texts)],
        [kit.message("further", f"and {counted(more, 'further column')}")] if more > 0 else [],
    ]


def _panel_lines(state: State) -> kit.Lines:
    """Columns of the unit and the time of data that look longitudinal, and what the rows of the table are."""
    look, now, typed, idle = state.session.panel_columns, state.session.study.preparation, state.typed, not state.busy
    if now.unit is not None:
        words = f"Each row of the table is a step of one {now.unit} from a {now.time} to the next: [t-1] and [t]."
        back = "Learn from the rows as they are, without time"
        return [[kit.message("panel", words), kit.button("rows", "Use rows", back, enabled=idle)]]
    if look is None:
        return []
    units, times = ([("", NO_PANEL), *kit.named(names)] for names in (look.units, look.times))
    tip = "Learn how the values at one time of a unit depend on those at the time before"
    chosen = idle and bool(typed["unit"]) and bool(typed["time"])
    return [
        [kit.message("panel", "This table looks longitudinal: several rows of one unit, each at another time.")],
        [
            kit.select("unit", "Unit", typed["unit"], units, "Column that names the unit, such as a patient"),
            kit.select("time", "Time", typed["time"], times, "Column of the time, such as the number of a visit"),
            kit.button("transitions", "Use transitions", tip, enabled=chosen),
        ],
    ]


def likely_panel(session: Session) -> dict[str, str]:
    """First values of the columns of the unit and the time; "" where they are not sure."""
    look, now = session.panel_columns, session.study.preparation
    unit, time = (now.unit, now.time) if look is None or now.unit is not None else (look.unit, look.time)
    return {"unit": unit or "", "time": time or ""}


def _format_lines(state: State, source: Source) -> kit.Lines:
    """Button that shows the format of the file, and its parts; each choice reads the file again."""
    format, idle, shown = source.format, not state.busy, state.typed["format"]
    if format is None:
        return []
    shown = (source.frame.empty or not is_usual(format)) if shown is None else shown
    opens = kit.toggle("format", "File format", shown, "Separator, decimal mark, encoding, marks of missing values")
    if not shown:
        return [[opens]]
    listed: list[tuple[str, str, Any, Any]] = []
    if source.sheets:
        sheet = format.sheet or source.sheets[0]
        listed += [("sheet", "Sheet", sheet, kit.named(source.sheets))] if len(source.sheets) > 1 else []
    else:
        encodings = [(name, ENCODING_LABELS.get(name, name)) for name in ENCODINGS]
        listed += [
            ("separator", "Separator", format.separator, SEPARATORS.items()),
            ("decimal", "Decimal mark", format.decimal, DECIMALS.items()),
            ("thousands", "Thousands mark", format.thousands, THOUSANDS.items()),
            ("encoding", "Encoding", format.encoding, encodings),
        ]
    listed.append(("header", "First row", format.header, HEADERS.items()))
    tip = "Detected; another choice reads the file again"
    cells = "Cells without a value, separated by commas; those that were detected, until another list is typed"
    marks = ", ".join(format.missing_marks or ())
    return [
        [opens],
        [
            kit.select(f"format:{name}", label, value, options, tip, enabled=idle)
            for name, label, value, options in listed
        ],
        [kit.text("format:missing_marks", "Marks of missing values", marks, cells, placeholder="empty cells only")],
    ]


def format_value(name: str, value: Any) -> Any:
    """Value of a part of a format that a control holds.

    Examples
    --------
    >>> format_value("missing_marks", "NULL, not known"), format_value("header", True)
    (('NULL', 'not known'), True)
    """
    if name == "missing_marks":
        return tuple(filter(None, map(str.strip, str(value).split(","))))
    return value


def _rows(frame: pd.DataFrame) -> list[tuple[str, list[kit.Cell]]]:
    columns = [
        ["" if missing else _short(value) for value, missing in zip(column.tolist(), column.isna(), strict=True)]
        for _, column in frame.items()
    ]
    return [(str(i), [str(i), *row]) for i, row in enumerate(zip(*columns, strict=True), 1)]


def _short(value: Any) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value).removesuffix(" 00:00:00")
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…"
