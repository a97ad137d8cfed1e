"""What a picture holds."""

from __future__ import annotations

from xml.etree import ElementTree

from bnlab.figures.picture import Picture

SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: Picture) -> ElementTree.Element:
    """The picture as a tree of elements."""
    return ElementTree.fromstring(picture.svg)


def texts(picture: Picture) -> list[str]:
    """Texts of the picture, in the order of its elements."""
    return [element.text or "" for element in parsed(picture).iter(f"{SVG}text")]
