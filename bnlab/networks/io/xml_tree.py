"""XML as a tree, without entities of its own and without anything from outside the file."""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from bnlab.networks.io.draft import NetworkFileError

MAX_DEPTH = 100
_LONE = re.compile(r"<(?![A-Za-z_:/!?])|&(?!(?:\w+|#\d+|#x[0-9A-Fa-f]+);)")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


def parse_xml(text: str) -> Element:
    """Root of the tree of a text; ``<`` and ``&`` that cannot be marks of XML may stand in it as they are.

    Raises
    ------
    NetworkFileError
        If the text is no XML, declares entities, or nests elements deeper than 100.
    """
    text = _DECLARATION.sub(_blank, text, count=1)
    try:
        return _parsed(text)
    except expat.ExpatError as error:
        escaped = _LONE.sub(lambda match: "&lt;" if match[0] == "<" else "&amp;", text)
        try:
            return _parsed(escaped)
        except expat.ExpatError:
            raise NetworkFileError(f"this is no well-formed XML: {error}.") from None


def _parsed(text: str) -> Element:
    builder = TreeBuilder()
    depth = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MAX_DEPTH:
            raise NetworkFileError(f"elements are nested deeper than {MAX_DEPTH}: no network needs that.")
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1
        builder.end(tag)

    def entity(name: str, *_: Any) -> None:
        raise NetworkFileError(f"the file declares the entity {name!r}: for safety, such files are not read.")

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.EntityDeclHandler = builder.data, entity
    parser.Parse(text.encode(), True)
    return builder.close()


def _blank(match: re.Match[str]) -> str:
    """Line breaks of a declaration, whose encoding no longer holds."""
    return "\n" * match[0].count("\n")


def content(element: Element) -> str:
    """Text of an element and of those inside it, without outer blanks."""
    return "".join(element.itertext()).strip()


def child_text(element: Element, *tags: str) -> str:
    """Text of the first child with one of some tags; NetworkFileError if there is none."""
    for tag in tags:
        found = element.find(tag)
        if found is not None:
            return content(found)
    raise NetworkFileError(f"an element <{element.tag}> has no <{tags[0]}>.")
