"""Charts as PNG, for readers without plotly."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from collections.abc import Callable
from typing import Any, NoReturn

import plotly.graph_objects as go
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.browser import HOW, find_chromium
from tools.pictures import PLOTLY, add_pictures, to_png

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def chromium(left_out: Callable[[str, str], NoReturn]) -> str:
    return find_chromium() or left_out("pictures of charts", HOW)


def figure(height: int) -> dict[str, Any]:
    chart = go.Figure(go.Scatter(y=[1, 3, 2]), layout={"height": height, "updatemenus": [{"buttons": []}]})
    return dict(json.loads(chart.to_json()))


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_figures_become_pictures_of_their_size() -> None:
    pictures = to_png([figure(200), figure(300)], width=400, scale=2)
    assert [size(picture) for picture in pictures] == [(800, 400), (800, 600)]


def test_every_chart_of_a_notebook_gets_a_picture_beside_it() -> None:
    chart = new_output("display_data", {PLOTLY: figure(200), "text/html": "<table>", "text/plain": "Figure"})
    other = new_output("display_data", {"text/html": "<b>"})
    notebook = new_notebook(cells=[new_markdown_cell("a"), new_code_cell("b", outputs=[chart, other])])
    outputs = add_pictures(notebook).cells[1].outputs
    assert set(outputs[0].data) == {PLOTLY, "image/png", "text/plain"}
    assert size(b64decode(outputs[0].data["image/png"]))[0] == 1350
    assert outputs[1].data == {"text/html": "<b>"}


def test_a_notebook_without_charts_needs_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.pictures.find_chromium", lambda: None)
    assert add_pictures(new_notebook(cells=[new_code_cell("1")])).cells[0].outputs == []
    with pytest.raises(RuntimeError, match="there is none here"):
        to_png([figure(200)])
