"""Words and marks of the text of a BIF file (its grammar: `bnlab.networks.io.bif`), and the error that names a line."""

from __future__ import annotations

import re

PUNCTUATION = frozenset("{}()[];,|")
END = ""
WORD = r'[^\s{}()\[\];,|"]++'
STRING = r'"(?:[^"\\]|\\(?s:.))*+"'

_SKIP = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/)*+"
# What is left open runs to the end of the file as one token, so that reading stays linear.
_OPEN = r'(?s:/\*.*|".*)'
_TOKEN = re.compile(rf"{_SKIP}({STRING}|{_OPEN}|[{{}}()\[\];,|]|{WORD}|\Z)")
_MESSAGE = 1000


class BifError(ValueError):
    """A text that is not a Bayesian network in BIF; the message begins with its file, if it has one, and the line.

    Attributes
    ----------
    line : int
        Counted from 1.
    """

    def __init__(self, line: int, message: str, path: object = None) -> None:
        self.line, self.message = line, message
        cut = message if len(message) <= _MESSAGE else f"{message[: _MESSAGE // 2]} … {message[-_MESSAGE // 2 :]}"
        super().__init__(f"{'' if path is None else f'{path}, '}line {line}: {cut}")


def tokens_of(text: str) -> list[str]:
    """Tokens of a text, the last `END`."""
    if '"' not in text and "//" not in text and "/*" not in text:
        for mark in PUNCTUATION:
            text = text.replace(mark, f" {mark} ")
        return [*text.split(), END]
    tokens: list[str] = _TOKEN.findall(text)
    if tokens[-2:] == [END, END]:
        tokens.pop()
    return tokens


def unquoted(token: str) -> str:
    """A name without its double quotes."""
    if not token.startswith('"'):
        return token
    return re.sub(r'\\(["\\])', r"\1", token[1:-1])


def error_at(text: str, token: int, message: str) -> BifError:
    """The error of the line where a token begins, counted as `tokens_of` gives them."""
    for k, match in enumerate(_TOKEN.finditer(text)):
        if k == token:
            return BifError(text.count("\n", 0, match.start(1)) + 1, message)
    return BifError(text.count("\n") + 1, message)
