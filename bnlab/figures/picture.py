"""Pictures that every view of a notebook shows: live, untrusted, exported, or on a code host."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from bnlab._runtime.files import replace_file
from bnlab.figures.table import HtmlTable


@dataclass(frozen=True)
class Picture:
    """SVG that displays as an image in a notebook.

    The page embeds it as a data URL, because code hosts and untrusted notebooks drop inline SVG.

    Attributes
    ----------
    svg : str
        Text of the file.
    alt : str
        Text alternative.
    width : float
        Pixels; the picture shrinks where there is less room.

    Examples
    --------
    >>> Picture("<svg/>", "nothing", 10).to_html()
    '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="nothing" width="10" style="max-width: 100%; height: auto">'
    """

    svg: str
    alt: str
    width: float

    def __repr__(self) -> str:
        """The text alternative."""
        return f"Picture({self.alt})"

    def to_html(self) -> str:
        """Return a self-contained img element."""
        data = b64encode(self.svg.encode()).decode()
        return (
            f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(self.alt)}" width="{self.width:.0f}" '
            'style="max-width: 100%; height: auto">'
        )

    def save(self, path: str | Path) -> None:
        """Write the SVG file.

        Raises
        ------
        ValueError
            If the name has an extension other than ".svg".
        OSError
            If the file cannot be written; an existing file stays unchanged.
        """
        if Path(path).suffix.lower() not in ("", ".svg"):
            raise ValueError(
                f"{str(path)!r}: a picture is written as SVG: name it .svg, and convert that file where another kind "
                "is needed, as for LaTeX by: inkscape x.svg -o x.pdf (or rsvg-convert -f pdf -o x.pdf x.svg)."
            )
        replace_file(path, self.svg)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/html": self.to_html(), "text/plain": repr(self)}


class PictureRow(HtmlTable):
    """Pictures side by side, each with a caption; they wrap on a narrow page."""


def row(*pictures: Picture, captions: Sequence[str] = ()) -> PictureRow:
    """Put pictures side by side.

    Parameters
    ----------
    *pictures : Picture
    captions : sequence of str, optional
        One per picture.

    Raises
    ------
    ValueError
        If there are captions, but not one for each picture.
    """
    captions = captions or [""] * len(pictures)
    if len(captions) != len(pictures):
        raise ValueError(f"{len(captions)} captions for {len(pictures)} pictures: give one for each, '' for none.")
    pairs = list(zip(captions, pictures, strict=True))
    alt = "; ".join(": ".join(filter(None, (caption, picture.alt))) for caption, picture in pairs)
    figures = "".join(
        '<figure style="margin: 0; min-width: 0; flex: 0 1 auto">'
        f'{picture.to_html()}<figcaption style="text-align: center">{escape(caption)}</figcaption></figure>'
        for caption, picture in pairs
    )
    html = f'<div style="display: flex; flex-wrap: wrap; gap: 24px; align-items: flex-end">{figures}</div>'
    return PictureRow(html, f"PictureRow({alt})")
