"""The chart widget without a browser, and the extension that pictures graphs."""

from __future__ import annotations

import gzip
import subprocess
import sys
from base64 import b64decode
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from IPython.core.interactiveshell import InteractiveShell

from bnlab.figures.plain import confidence_html
from bnlab.graphs import Dag, skeleton
from bnlab.graphs.confidence import EdgeConfidence
from bnlab.networks import BayesianNetwork
from bnlab.widgets import PlotlyView, load_ipython_extension, unload_ipython_extension
from bnlab.widgets.base.plotly_view import PLOTLY_MIME
from bnlab.widgets.base.widget import STILL

FIGURE = go.Figure(go.Scatter(x=[1, 2], y=[3.5, 1], name="<b>curve</b>"), layout={"title": "Two points"})


def test_a_figure_is_held_as_json_and_can_be_replaced() -> None:
    view = PlotlyView(FIGURE)
    assert view.figure["data"][0]["x"] == [1, 2] or "bdata" in view.figure["data"][0]["x"]
    assert view.figure["layout"]["title"]["text"] == view.description == "Two points"
    changes: list[Any] = []
    view.observe(changes.append, "figure")
    view.figure = go.Figure(layout={"height": 100})
    assert view.figure["layout"]["height"] == 100
    assert len(changes) == 1


def test_what_is_no_figure_is_refused() -> None:
    with pytest.raises(TypeError, match="give a plotly Figure"):
        PlotlyView([1, 2])  # type: ignore[arg-type]
    view = PlotlyView(FIGURE)
    with pytest.raises(TypeError, match="give a plotly Figure"):
        view.figure = 3


def test_plotly_is_sent_when_a_page_asks_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[Any, Any]] = []
    view = PlotlyView(FIGURE)
    monkeypatch.setattr(PlotlyView, "send", lambda self, content, buffers=None: sent.append((content, buffers)))
    view._handle_custom_msg({"type": "unknown"}, [])
    view._handle_custom_msg("plotly", [])
    assert sent == []
    view._handle_custom_msg({"type": "plotly"}, [])
    [(content, [packed])] = sent
    assert content == {"type": "plotly"}
    assert len(packed) < 2_000_000
    assert b"Plotly" in gzip.decompress(packed)[-200:]


def test_what_happens_in_the_page_arrives_in_traits() -> None:
    view = PlotlyView(FIGURE)
    point = {"trace": "curve", "trace_index": 0, "index": 1, "x": 2, "y": 1, "customdata": None}
    view.set_state({"clicked": point, "hovered": point})
    assert view.clicked == view.hovered == point
    view.set_state({"hovered": None})
    assert view.hovered is None


def test_the_still_form_is_the_chart_with_a_picture_of_it_or_its_words() -> None:
    bundle, _ = PlotlyView(FIGURE)._repr_mimebundle_()
    assert set(bundle) >= {"application/vnd.jupyter.widget-view+json", PLOTLY_MIME, "text/html", "text/plain"}
    assert bundle["text/plain"] == "PlotlyView(Two points: <b>curve</b>)"
    assert bundle["text/html"].startswith('<img src="data:image/svg+xml;base64,')
    pie, _ = PlotlyView({"data": [{"type": "pie", "name": "<b>pie</b>"}], "layout": {}})._repr_mimebundle_()
    assert pie["text/html"] == "<p>PlotlyView(&lt;b&gt;pie&lt;/b&gt;)</p>" + STILL


def test_the_extension_pictures_graphs_and_networks_until_it_is_unloaded(asia: BayesianNetwork) -> None:
    shell = InteractiveShell()
    load_ipython_extension(shell)
    for graph in (asia.dag, skeleton(asia.dag), asia):
        data, _ = shell.display_formatter.format(graph)
        assert data["text/html"].startswith('<img src="data:image/svg+xml;base64,')
        assert data["text/plain"] == repr(graph)
    unload_ipython_extension(shell)
    assert "text/html" not in shell.display_formatter.format(Dag.empty("ab"))[0]


SHOWN = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import sys, bnlab; loaded = {'plotly', 'pandas', 'numba', 'ipywidgets'} & set(sys.modules)")
assert shell.user_ns["loaded"] == set()
for code in ("bnlab.load_network('asia')", "bnlab.Dag('ab', [('a', 'b')])", "bnlab.graphs.Pdag('ab')"):
    assert shell.display_formatter.format(shell.ev(code))[0]["text/html"].startswith("<img"), code
for code in ("bnlab.compare(bnlab.Dag('ab', []), bnlab.Dag('ab', []))", "bnlab.scores.make_score('bdeu', ess=4)"):
    assert shell.display_formatter.format(shell.ev(code))[0]["text/html"].startswith("<table"), code
assert "text/html" not in shell.display_formatter.format(shell.ev("bnlab.Dag(map(str, range(101)), [])"))[0]
"""


def test_importing_the_library_in_a_notebook_is_enough_to_show_values() -> None:
    done = subprocess.run([sys.executable, "-c", SHOWN], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_confidence_in_edges_is_shown_with_the_share_of_each_edge() -> None:
    html = confidence_html(EdgeConfidence(("a", "b", "c"), np.array([[0, 0.9, 0], [0, 0, 0.1], [0, 0, 0]]), 10))
    svg = b64decode(html.partition("base64,")[2].partition('"')[0]).decode()
    assert ">90%<" in svg
    assert ">10%<" not in svg


def test_the_text_alternative_follows_the_title_unless_it_was_given() -> None:
    view, own = PlotlyView(titled("Two points")), PlotlyView(titled("Two points"), description="Scores")
    for each in (view, own):
        each.figure = titled("Three points")
    assert (view.description, own.description) == ("Three points", "Scores")


def titled(title: str) -> dict[str, Any]:
    return {"data": [], "layout": {"title": {"text": title}}}
