"""Charts as pictures, for readers without plotly."""

from __future__ import annotations

import json
import struct
from base64 import b64decode
from collections.abc import Callable
from typing import Any, NoReturn
from xml.etree import ElementTree

import plotly.graph_objects as go
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.browser import HOW, find_chromium
from tools.pictures import PLOTLY, add_pictures, to_images

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def chromium(left_out: Callable[[str, str], NoReturn]) -> str:
    return find_chromium() or left_out("pictures of charts", HOW)


def figure(height: int, points: int = 3) -> dict[str, Any]:
    rows = [k * 7919 % 100 for k in range(points)]
    layout = {"height": height, "title": {"text": "Ups & downs"}, "updatemenus": [{"buttons": []}]}
    return dict(json.loads(go.Figure(go.Scatter(y=rows, mode="markers"), layout=layout).to_json()))


def content(address: str, kind: str) -> bytes:
    start = f"data:image/{kind};base64,"
    assert address.startswith(start)
    return b64decode(address.removeprefix(start))


def test_a_chart_becomes_a_vector_picture_of_its_size() -> None:
    (address,) = to_images([figure(200)], width=400)
    root = ElementTree.fromstring(content(address, "svg+xml"))
    assert (root.get("width"), root.get("height")) == ("400", "200")
    assert not [element for element in root.iter() if element.tag.endswith("script")]


def test_a_chart_of_many_points_becomes_pixels() -> None:
    (address,) = to_images([figure(300, points=5000)], width=400, scale=2)
    png = content(address, "png")
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (800, 600)


def test_every_chart_of_a_notebook_gets_a_picture_beside_it() -> None:
    chart = new_output("display_data", {PLOTLY: figure(200), "image/png": "old", "text/plain": "Figure"})
    other = new_output("display_data", {"text/html": "<b>"})
    notebook = new_notebook(cells=[new_markdown_cell("a"), new_code_cell("b", outputs=[chart, other])])
    outputs = add_pictures(notebook).cells[1].outputs
    assert set(outputs[0].data) == {PLOTLY, "text/html", "text/plain"}
    picture = ElementTree.fromstring(outputs[0].data["text/html"].replace(">", "/>"))
    assert picture.get("alt") == "Ups & downs"
    assert content(picture.get("src", ""), "svg+xml")
    assert outputs[1].data == {"text/html": "<b>"}


def test_a_notebook_without_charts_needs_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.pictures.find_chromium", lambda: None)
    assert add_pictures(new_notebook(cells=[new_code_cell("1")])).cells[0].outputs == []
    with pytest.raises(RuntimeError, match="there is none here"):
        to_images([figure(200)])
