"""Charts of notebooks as pictures, for readers without plotly."""

from __future__ import annotations

import json
from base64 import b64decode
from xml.etree import ElementTree

import plotly.graph_objects as go
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools.pictures import PLOTLY, add_pictures


def test_every_chart_of_a_notebook_gets_a_picture_beside_it() -> None:
    layout = {"height": 200, "title": {"text": "Ups &amp; downs"}, "updatemenus": [{"buttons": []}]}
    figure = json.loads(go.Figure(go.Scatter(y=[1, 3, 2], mode="markers"), layout=layout).to_json())
    chart = new_output("display_data", {PLOTLY: figure, "image/png": "old", "text/plain": "Figure"})
    other = new_output("display_data", {"text/html": "<b>"})
    notebook = new_notebook(cells=[new_markdown_cell("a"), new_code_cell("b", outputs=[chart, other])])
    outputs = add_pictures(notebook).cells[1].outputs
    assert set(outputs[0].data) == {PLOTLY, "text/html", "text/plain"}
    picture = ElementTree.fromstring(outputs[0].data["text/html"].replace(">", "/>"))
    assert picture.get("alt") == "Ups & downs"
    assert picture.get("width") == "1100"
    assert "max-width: 100%" in picture.get("style", "")
    svg = b64decode(picture.get("src", "").removeprefix("data:image/svg+xml;base64,")).decode()
    assert len(list(ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle"))) == 3
    assert outputs[1].data == {"text/html": "<b>"}
