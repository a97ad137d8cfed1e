"""SVG elements as strings, with escaped text, and the widths of texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import isnan
from os.path import commonprefix
from xml.sax.saxutils import escape, quoteattr

from bnlab.figures.theme import FONT

# Characters that XML 1.0 does not allow.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Advance widths of Helvetica, in thousandths of the font size, for the characters from space to tilde.
_ADVANCES = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556),
    *(556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667),
    *(556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556),
    *(556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722),
    *(500, 500, 500, 334, 260, 334, 584),
)
# Other fonts that a reader may have are wider.
_ALLOWANCE = 1.07


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Approximate width in pixels of a line of text in any sans-serif font of a size.

    Examples
    --------
    >>> round(text_width("smoke", 13)), round(text_width("喫煙", 13)), text_width("", 13)
    (41, 28, 0.0)
    """
    return sum(map(_advance, text)) / 1000 * size * _ALLOWANCE * (1.06 if bold else 1.0)


def _advance(character: str) -> int:
    code = ord(character)
    if 32 <= code < 127:
        return _ADVANCES[code - 32]
    if unicodedata.combining(character):
        return 0
    return 1000 if unicodedata.east_asian_width(character) in "WF" else 600


_INTERVAL = re.compile(r"([<>]=?|[(\[])([^,]+)(?:(, ?)([^,]+)([)\]]))?")


def shortened(text: str, most: int) -> str:
    """Shorten a text to at most `most` characters: drop its middle, or round the bounds of an interval.

    Examples
    --------
    >>> shortened("catecholamine_level", 12)
    'catech…level'
    >>> shortened("(21.845612, 25.151234]", 14), shortened(">21.845612", 6), shortened("(21.845612, 21.851]", 11)
    ('(21.85, 25.15]', '>21.85', '(21.845612…')
    """
    return _shortened_alike([text], most)[0]


def shortened_states(texts: Sequence[str], most: int) -> list[str]:
    """Shorten the states of a variable, and tell them apart.

    The bounds of all intervals are rounded alike, so that a cut has one number. States that would look the same are
    twice as long, and without the beginning that all have in common if that is not enough.

    Examples
    --------
    >>> shortened_states(["<=27.3152", "(27.3152, 45.7125]", ">45.7125", "missing"], 12)
    ['<=27.3', '(27.3, 45.7]', '>45.7', 'missing']
    >>> shortened_states(["strongly agree", "strongly disagree"], 12)
    ['strongly agree', 'strongly disagree']
    >>> shortened_states(["strongly agree", "strongly disagree"], 4)
    ['…agree', '…dis…ree']
    """
    for length in (most, 2 * most):
        shown = _shortened_alike(texts, length)
        if len(set(shown)) == len(set(texts)):
            return shown
    start = len(commonprefix(texts))  # noqa: RUF071 - of letters, not of a path
    return _shortened_alike([f"…{text[start:]}" for text in texts], 2 * most)


def _shortened_alike(texts: Sequence[str], most: int) -> list[str]:
    intervals = [text for text in texts if _interval(text, 15) is not None]
    if any(len(text) > most for text in intervals):
        for digits in (12, 6, 4, 3, 2):
            fewer = {text: str(_interval(text, digits)) for text in intervals}
            if all(0 < len(text) <= most for text in fewer.values()):
                return [_cut(fewer.get(text, text), most) for text in texts]
    return [text[: most - 1] + "…" if text in intervals and len(text) > most else _cut(text, most) for text in texts]


def _interval(text: str, digits: int) -> str | None:
    """Interval with its bounds rounded; "" if they would be equal, None for another text."""
    parts = _INTERVAL.fullmatch(text)
    if parts is None or not all(map(_is_number, parts.group(2, 4))):
        return None
    fewer = [_rounded(part, digits) if i % 2 else part for i, part in enumerate(parts.groups(""))]
    return "" if fewer[1] == fewer[3] else "".join(fewer)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    tail = (most - 1) // 2
    return text[: most - 1 - tail] + "…" + text[len(text) - tail :]


def _is_number(text: str | None) -> bool:
    try:
        return text is None or not isnan(float(text))
    except ValueError:
        return False


def _rounded(number: str, digits: int) -> str:
    return f"{float(f'{float(number):.{digits}g}'):.12g}" if number else ""


def element(tag: str, *children: str, **attributes: object) -> str:
    """One element. Children are SVG, attributes are escaped, and underscores in their names become hyphens.

    Examples
    --------
    >>> element("g", element("line", x1=0, stroke_width=1.50001), class_="edge")
    '<g class="edge"><line x1="0" stroke-width="1.5"/></g>'
    """
    pairs = "".join(
        f" {name.rstrip('_').replace('_', '-')}={quoteattr(_value(value))}"
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{pairs}>{''.join(children)}</{tag}>" if children else f"<{tag}{pairs}/>"


def escaped(text: str) -> str:
    r"""Escape the text of an element, and replace the characters that XML does not allow.

    Examples
    --------
    >>> escaped("<b>\x00")
    '&lt;b&gt;�'
    """
    return escape(_NOT_XML.sub("\ufffd", text))


def label(
    text: str, x: float, y: float, *, size: float, anchor: str = "middle", bold: bool = False, **ink: object
) -> str:
    """One line of text, centred on `y`; any font is fitted to the width that `text_width` returns."""
    fitted = {"textLength": text_width(text, size, bold=bold), "lengthAdjust": "spacingAndGlyphs"}
    return element(
        "text",
        escaped(text),
        x=x,
        y=y + 0.35 * size,
        font_size=size,
        font_weight="bold" if bold else None,
        text_anchor=anchor,
        **(fitted if len(text) > 1 else {}),
        **ink,
    )


def document(width: float, height: float, *children: str, title: str, description: str) -> str:
    """SVG file with its text alternative."""
    return element(
        "svg",
        element("title", escaped(title)),
        element("desc", escaped(description)),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        font_family=FONT,
        role="img",
    )


def number(value: float) -> str:
    """Coordinate rounded to a tenth of a pixel, without trailing zeros.

    Examples
    --------
    >>> number(2.0), number(-0.04), number(1.25)
    ('2', '0', '1.2')
    """
    rounded = round(float(value), 1)
    return str(int(rounded)) if rounded == int(rounded) else str(rounded)


def _value(value: object) -> str:
    return number(value) if isinstance(value, int | float) else _NOT_XML.sub("\ufffd", str(value))
