"""Session files that somebody forged: each is refused by the name of a field, or its exports hold it as text alone."""

from __future__ import annotations

import copy
import html
import html.parser
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbconvert.filters.markdown_mistune import markdown2html_mistune

import bnlab
from bnlab.analysis import Preparation, Recipe, Study
from bnlab.analysis.files import Source
from bnlab.analysis.session import Session
from bnlab.analysis.study_json import FIELDS
from bnlab.data import FileFormat
from tests.analysis import exported
from tests.soak import times

RUNS = "__import__('os').system('touch ran')"
HOSTILE = f"'); {RUNS} # \n<b>"
TEXTS = (
    f"x={RUNS}, y", f"'); {RUNS} #", f'"); {RUNS} #', f"\n{RUNS}\n#", f"\r{RUNS}\r#", f"\\\n{RUNS}", f"\\'); {RUNS}#",
    f'"""\n{RUNS}\n"""', f"'''\n{RUNS}\n'''", f"{{{RUNS}}}", f"\x0c{RUNS}", f"\x85{RUNS}\u2028{RUNS}\u2029",
    "# -*- coding: utf-7 -*-", "\n%%bash\ntouch ran", "%run ran.py", "\n!touch ran\n", "!touch ran", "x?",
    ">>> import os", "$(touch ran)", "`touch ran`", "``` \n# a\n```", "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "--><b>", "]]>", "&lt;b&gt;", "[a](javascript:alert(1))",
    "![a](http://example.org/a.png)", "http://example.org www.example.org", "$\\href{javascript:alert(1)}{a}$",
    "\\(x\\) \\\\(y\\\\) \\begin{align}z\\end{align}", "\n\n# Heading\n\n- a\n---", "a\u202egnirts\u202c", "\ud800",
    "a\udfffb", "\0", "a\0b", "", " ", "'", '"', "\\", "nan", "None", "é𝒳",
)  # fmt: skip
OTHERS = (
    None, True, False, -1, 0, 1, 3, 1.5, -0.0, float("nan"), float("inf"), float("-inf"), 1e308, 10**400, 2**63, [], {},
    [[]], [["a", "b"]], [[[["a"]]]], {"a": 1}, {"format": "bnlab study 1"},
)  # fmt: skip


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    data = bnlab.load_network("cancer").sample(120, seed=1).to_pandas().astype(str)
    return data.rename(columns={"Xray": HOSTILE, "Smoker": "a\nb"}).assign(age=np.linspace(20, 80, 120), row=range(120))


@pytest.fixture(scope="module")
def sessions(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Content of session files that this version writes."""
    levels = {"age": (("<=30", TEXTS[3]), (">50.5", "old"))}
    study = Study("patients.csv", preparation=Preparation(("row",), {"age": (30.0, 50.5)}, "state", "Cancer", levels))
    study = replace(study, file_format=FileFormat(";", ",", "cp1252", sheet="answers"))
    table = study.preparation.apply(frame)
    recipes = {
        "climb": Recipe("hill-climbing", "bdeu", {"ess": 2.5, "max_parents": 2, "within": [["age", "Cancer"]]}),
        TEXTS[0]: Recipe("ckg", None, {"k": 1, "root": "age", "order": "bfs"}),
        "stopped `early`": Recipe("ordering-search", "mit", {"alpha": 0.9, "start": list(table.names)}),
        "last": Recipe(
            "chen", "k2", {"variant": "paper", "beta": "data", "prune": True, "permanent": [["age", "Cancer"]]}
        ),
    }
    for name, recipe in recipes.items():
        edges = (("age", "Cancer"), ("Cancer", HOSTILE))
        graph = bnlab.Dag.from_edges(table.names, edges)
        study = study.with_result(name, recipe, graph, stopped=name.startswith("stopped"))
    study = study.with_result("average", None, bnlab.Dag.empty(table.names))
    session, _ = Session().load(Source(frame, "patients.csv", "patients.csv"))
    session = session.prepare(study.preparation)
    session = session.with_result(session.learn(Recipe("k2", None, {"orders": 2}), TEXTS[2]))
    session = session.with_result(session.bootstrap(TEXTS[2], 2))
    return [json.loads(json.dumps(made.to_json())) for made in (study, session.study, Study())]


def opened(content: bytes) -> Study | None:
    """Study in a file, None for one that is refused as it should be."""
    try:
        return Study.read("a file", content)
    except ValueError as error:
        words = str(error)
        assert words.startswith("a file is no saved session: ")
        assert len(words) < 2000
        words.encode()
        fields = "|".join((*FIELDS, "stopped", "file_format", "session"))
        assert re.match(
            rf"a file is no saved session: (({fields})\b|.*(JSON|line \d|codec|Exceeds|recursion))", words
        ), words
        return None


def check(content: Any, title: str = "Analysis") -> Study | None:
    """Open what a forged file holds, and check its exports."""
    study = opened(written(content))
    if study is not None:
        check_exports(study, title)
    return study


def check_exports(study: Study, title: str = "Analysis") -> None:
    """All exports of a study say and do what it holds."""
    script, notebook = study.code(), study.notebook(title)
    assert repr(exported.read(script)) == repr(exported.meant(study))
    json.dumps(notebook, ensure_ascii=False).encode()
    markdown = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert (
        script.splitlines()
        == "\n\n".join(f"# {words}\n{code}" for words, code in zip(markdown[1:], cells, strict=True)).splitlines()
    )
    for cell in cells:
        assert as_the_shell_reads(cell) == f"{cell}\n"
    for words in markdown:
        check_markdown(words)


as_the_shell_reads = cache(TransformerManager().transform_cell)


@cache
def check_markdown(source: str) -> None:
    """Check that nothing in it but code spans holds what is not from this package, and that it is one line of text."""
    assert "\n" not in source
    page = Page(markdown2html_mistune(source).replace("&#182;", ""))
    assert page.tags <= {"h1", "p", "code", "a.anchor-link"}, source
    for text in page.outside_code:
        assert re.fullmatch(r"[\w ,.?;()\n-]*", text), source


class Page(html.parser.HTMLParser):
    """Tags of a page, and its text outside code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.outside_code: list[str] = []
        self._in_code = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kind = dict(attrs).get("class")
        self.tags.add(tag if kind is None else f"{tag}.{kind}")
        self._in_code += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._in_code -= tag == "code"

    def handle_data(self, data: str) -> None:
        if not self._in_code:
            self.outside_code.append(data)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Path of every part of a JSON value."""
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield from places(part, (*path, key))


def holder(content: Any, path: tuple[Any, ...]) -> Any:
    for key in path[:-1]:
        content = content[key]
    return content


def with_value(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(content)
    holder(changed, path)[path[-1]] = value
    return changed


def with_key(content: Any, path: tuple[Any, ...], key: str) -> Any:
    changed = copy.deepcopy(content)
    parts = holder(changed, path)
    kept = {key if known == path[-1] else known: part for known, part in parts.items()}
    parts.clear()
    parts.update(kept)
    return changed


def renamed(content: Any, old: str, new: str) -> Any:
    """Content with a name replaced wherever it stands."""
    if isinstance(content, dict):
        return {new if key == old else key: renamed(value, old, new) for key, value in content.items()}
    if isinstance(content, list):
        return [renamed(value, old, new) for value in content]
    return new if content == old else content


def written(content: Any) -> bytes:
    return json.dumps(content).encode()


def test_sessions_of_this_version_open_and_export_what_they_hold(sessions: list[dict[str, Any]]) -> None:
    for content in sessions:
        study = check(content)
        assert study is not None
        assert json.loads(json.dumps(study.to_json())) == content


def test_the_name_of_an_option_that_is_code_is_refused(sessions: list[dict[str, Any]]) -> None:
    forged = with_key(sessions[0], ("recipes", "climb", "options", "max_parents"), TEXTS[0])
    with pytest.raises(ValueError, match=r"recipes\['climb'\]: options: .* is no option of 'hill-climbing'"):
        Study.read("a file", written(forged))


SHARE = times(3, 1)
"""Each value is tried in one of so many fields, and each field with one of so many values."""


def fields(content: Any, number: int) -> list[tuple[Any, ...]]:
    """Paths of the parts in which the value of a number is tried, of long lists those of the first two items."""
    paths = [path for path in places(content) if not any(isinstance(key, int) and key > 1 for key in path)]
    return paths[number % SHARE :: SHARE]


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_text_in_every_field_is_refused_or_comes_out_as_text(sessions: list[dict[str, Any]], text: str) -> None:
    for path in fields(sessions[0], TEXTS.index(text)):
        check(with_value(sessions[0], path, text))
        if isinstance(path[-1], str):
            check(with_key(sessions[0], path, text))


@pytest.mark.parametrize(("number", "value"), list(enumerate(OTHERS)), ids=str)
def test_other_types_and_numbers_in_every_field_are_refused_or_mean_the_same(
    sessions: list[dict[str, Any]], number: int, value: Any
) -> None:
    for path in fields(sessions[0], number):
        check(with_value(sessions[0], path, value))


@pytest.mark.parametrize("text", TEXTS)
def test_hostile_names_come_out_as_text(sessions: list[dict[str, Any]], text: str) -> None:
    for content in sessions[:2]:
        for old in ("patients.csv", "climb", "stopped `early`", TEXTS[2], "age", "row"):
            forged = renamed(content, old, text)
            study = check(forged, title=text)
            assert (study is None) == (forged != content and re.search("[\0\ud800-\udfff]", text) is not None)
