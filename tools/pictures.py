"""Pictures of plotly figures for places without plotly: code hosts, nbconvert, a reader without a kernel.

`to_images` draws in the Chromium that the browser tests use, with the plotly.js that comes with the plotly package;
nothing is asked of the network. `add_pictures` puts a picture beside every chart that a notebook stores.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from tools.browser import FLAGS, HOW, find_chromium

PLOTLY = "application/vnd.plotly.v1+json"
WIDTH = 900
HEIGHT = 450
SCALE = 1.5

DRAW = """async ([figure, width, height, scale]) => {
    const place = document.createElement("div");
    document.body.append(place);
    const layout = {...figure.layout, width, height, paper_bgcolor: "#ffffff", plot_bgcolor: "#ffffff"};
    layout.font = {...layout.font, color: "#333333"};
    if (layout.updatemenus?.length) {
        layout.margin = {...layout.margin, t: 80};
        delete layout.updatemenus;
    }
    await Plotly.newPlot(place, figure.data, layout, {staticPlot: true});
    const png = await Plotly.toImage(place, {format: "png", width, height, scale});
    const svg = decodeURIComponent((await Plotly.toImage(place, {format: "svg", width, height})).split(",", 2)[1]);
    Plotly.purge(place);
    place.remove();
    return [png, svg];
}"""


def to_images(figures: Sequence[dict[str, Any]], *, width: int = WIDTH, scale: float = SCALE) -> list[str]:
    """Draw figures, dark on white, without their buttons.

    Parameters
    ----------
    figures : sequence of dict
        Plotly JSON, with data and layout.
    width : int
        Pixels on the page, of those figures that do not say; the height is the figure's own.
    scale : float
        Pixels of a PNG for one of the page.

    Returns
    -------
    list of str
        Address of each picture that holds the picture itself: SVG, or PNG where that is shorter (many points).

    Raises
    ------
    RuntimeError
        If there is no Chromium.
    """
    import plotly
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    if chromium is None:
        raise RuntimeError(f"pictures of charts are drawn by Chromium, and there is none here: {HOW}")
    script = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page()
        page.add_script_tag(path=script)
        drawn = [
            page.evaluate(DRAW, [f, f["layout"].get("width") or width, f["layout"].get("height") or HEIGHT, scale])
            for f in figures
        ]
        browser.close()
    vectors = ["data:image/svg+xml;base64," + b64encode(svg.encode()).decode() for _, svg in drawn]
    return [min(png, vector, key=len) for (png, _), vector in zip(drawn, vectors, strict=True)]


def add_pictures(notebook: NotebookNode) -> NotebookNode:
    """Put a picture beside each stored chart, as HTML: JupyterLab still prefers the chart, other readers show it."""
    charts = [
        output for cell in notebook.cells for output in cell.get("outputs", []) if PLOTLY in output.get("data", {})
    ]
    if charts:
        figures = [output.data[PLOTLY] for output in charts]
        for output, figure, address in zip(charts, figures, to_images(figures), strict=True):
            title = figure["layout"].get("title", {}).get("text") or "chart"
            width = figure["layout"].get("width") or WIDTH
            style = "max-width: 100%; height: auto"
            output.data["text/html"] = f'<img src="{address}" width="{width}" alt="{escape(title)}" style="{style}">'
            output.data.pop("image/png", None)
    return notebook
