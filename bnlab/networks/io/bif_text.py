"""Text of a BIF file (its grammar: `bnlab.networks.io.bif`): comments, quotation marks, names in lists, errors."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from typing import Any

from bnlab.networks.io.draft import NetworkFileError

_QUOTED = r'"(?:[^"\\]|\\(?s:.))*+"'
# A quoted name begins and ends where a name may; other quotation marks belong to the name around them.
_STRING = rf'(?<![^\s(,|{{=]){_QUOTED}(?=\s*+(?:[),|}}{{;=]|//|/\*|\Z)|\s++")'
# Glued to a name, // is a comment only if a blank follows, or nothing on its line can follow a name: http://x is one.
_BEGIN = r"(?<![^\s{}()\[\];,|])"
_COMMENT = rf"{_BEGIN}//[^\n]*+|//(?=\s)[^\n]*+|//[^\n,;(){{}}|]*+(?=\n|\Z)|{_BEGIN}/\*(?s:.*?)(?:\*/|\Z)"
_SPECIAL = re.compile(rf"({_STRING})|{_COMMENT}")
_MASK = re.compile("\x01([0-9]++)\x02")
_UNESCAPED = re.compile(r'\\(["\\])')


class BifError(NetworkFileError):
    """A text that is not a Bayesian network in BIF; the message begins with its file, if it has one, and the line.

    Attributes
    ----------
    line : int
        Counted from 1.
    """

    def __init__(self, line: int, message: str, path: object = None) -> None:
        self.line = line
        super().__init__(message, f"{'' if path is None else f'{path}, '}line {line}: ")


class Masked:
    """Text without comments, in which a short mark stands for each name in quotation marks.

    Lines have the numbers that they have in the file.

    Attributes
    ----------
    text : str
    """

    def __init__(self, text: str) -> None:
        self._quoted: list[str] = []
        self._masks: dict[str, str] = {}
        self.text = _SPECIAL.sub(self._mask, text) if '"' in text or "//" in text or "/*" in text else text

    def _mask(self, match: re.Match[str]) -> str:
        found = match[0]
        lines = "\n" * found.count("\n")
        if found.startswith("/*") and not found.endswith("*/"):
            raise BifError(
                match.string.count("\n", 0, match.start()) + 1, "the comment that begins here is never closed."
            )
        if match[1] is None:
            return f" {lines}"
        mask = self._masks.get(found)
        if mask is None:
            mask = self._masks[found] = f"\x01{len(self._quoted)}\x02"
            self._quoted.append(found)
        return mask + lines

    def name(self, item: str) -> str:
        """Name that a piece of the text stands for, without its own quotation marks."""
        item = item.strip()
        if "\x01" not in item or not self._quoted:
            return item
        whole = _MASK.fullmatch(item)
        if whole is not None and int(whole[1]) < len(self._quoted):
            return _UNESCAPED.sub(r"\1", self._quoted[int(whole[1])][1:-1])
        return self.shown(item)

    def shown(self, piece: str) -> str:
        """Piece of the text as it is in the file."""
        known = self._quoted
        return _MASK.sub(lambda match: known[int(match[1])] if int(match[1]) < len(known) else match[0], piece)

    def names(self, items: str) -> list[str]:
        """Names that commas separate."""
        return [self.name(item) for item in items.split(",")]

    def known_names(self, items: str, known: Sequence[Container[Any]]) -> list[str] | None:
        """Names in a list, the k-th of them one of ``known[k]``; None if the list does not consist of such names.

        Commas separate them, but may also be part of a name; without commas, blanks separate them.
        """
        for pieces in (items.split(","), items.split()):
            found = self._joined(pieces, known)
            if found is not None:
                return found
        return None

    def _joined(self, pieces: list[str], known: Sequence[Container[Any]]) -> list[str] | None:
        if len(pieces) < len(known):
            return None
        names: list[str] = []
        at = 0
        for k, candidates in enumerate(known):
            most = len(pieces) - at - (len(known) - k - 1)
            for n in range(1, most + 1):
                name = self.name(",".join(pieces[at : at + n]))
                if name in candidates:
                    names.append(name)
                    at += n
                    break
            else:
                return None
        return names if at == len(pieces) else None
