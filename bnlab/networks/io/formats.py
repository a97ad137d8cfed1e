"""The table of formats of networks that are read: a file is read by its content, then by its suffix."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bnlab.networks.io.bif import parse_bif
from bnlab.networks.io.bif_text import BifError
from bnlab.networks.io.draft import NetworkFileError
from bnlab.networks.io.dsc import parse_dsc
from bnlab.networks.io.genie import parse_dsl, parse_xdsl
from bnlab.networks.io.hugin import parse_net
from bnlab.networks.io.rds import parse_rds
from bnlab.networks.io.source import as_text, read_content
from bnlab.networks.io.uai import parse_uai
from bnlab.networks.io.xmlbif import parse_xmlbif
from bnlab.networks.network import BayesianNetwork


class Format(NamedTuple):
    """A format of text files.

    Attributes
    ----------
    name : str
    suffixes : tuple of str
    begins : str
        Pattern of the first words of such a file, after comments.
    read : callable, optional
        From a text to a network; None for a format that is only known by name.
    """

    name: str
    suffixes: tuple[str, ...]
    begins: str
    read: Callable[[str], BayesianNetwork] | None = None


FORMATS = (
    Format("BIF", (".bif",), r"(?:network|variable|probability)\b", parse_bif),
    Format("XMLBIF", (".xmlbif", ".bifxml", ".xml"), r"<BIF\b", parse_xmlbif),
    Format("Hugin NET", (".net",), r"(?:net|class\s+\w+)\s*\{\s*(?:\}|\w+\s*=|(?:\w+\s+)?node\b)", parse_net),
    Format("GeNIe XDSL", (".xdsl",), r"<smile\b", parse_xdsl),
    Format("GeNIe DSL", (".dsl",), r"net\s+\S[^{]*\{", parse_dsl),
    Format("DSC", (".dsc",), r"belief\s+network\b", parse_dsc),
    Format("UAI", (".uai",), r"(?:BAYES|MARKOV)\b", parse_uai),
    Format("O3PRM", (".o3prm",), r"(?:class|type|interface|package|import|system)\s"),
    Format("XBN", (".xbn",), r"<ANALYSISNOTEBOOK\b"),
    Format("GraphML", (".graphml",), r"<graphml\b"),
    Format("PMML", (".pmml",), r"<PMML\b"),
    Format("Netica DNET", (".dne", ".dnet"), r"bnet\s"),
    Format("JSON", (".json",), r"[\[{]"),
)
_BEFORE = re.compile(r"(?:\s++|//[^\n]*+|%[^\n]*+|#[^\n]*+|/\*(?s:.*?)\*/|<\?(?s:.*?)\?>|<!--(?s:.*?)-->)*+")
_DOCTYPE = re.compile(r"<!DOCTYPE[^\[>]*(?:\[(?s:.*?)\]\s*)?>")
_R_DATA = (b"X\n", b"A\n", b"RDX", b"RDA")
_READ = ", ".join(f"{format.name} ({format.suffixes[0]})" for format in FORMATS if format.read) + " and R's .rds"
_NEEDED = f"give the path of a network: {_READ}."


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a Bayesian network from a file of any format that is known, packed by gzip or not.

    The content decides about the format, and the suffix where it does not. See the guide "Open and save networks" for
    the formats and what each of them cannot hold.

    Parameters
    ----------
    path : str or path

    Raises
    ------
    NetworkFileError
        (A ValueError.) If the file is of another format, which the message names, or does not hold one complete
        network. BIF files raise its subclass BifError, which knows the line.
    ImportError
        If an ``.rds`` file is to be read and rdata is not installed.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> from bnlab.networks import asia
    >>> path = getfixture("tmp_path") / "asia.xmlbif"
    >>> asia().save(path)
    >>> read_network(path) == asia()
    True
    """
    data = read_content(path, _NEEDED)
    try:
        if data.startswith(_R_DATA):
            return parse_rds(data)
        text = as_text(data, path)
        format = _format_of(text, Path(path).name.lower())
        if format.read is None:
            raise NetworkFileError(f"this is a file of the format {format.name}; bnlab reads {_READ}.")
        return format.read(text)
    except BifError as error:
        raise BifError(error.line, error.message, path) from None
    except NetworkFileError as error:
        raise NetworkFileError(error.message, f"{path}: ") from None


def _format_of(text: str, name: str) -> Format:
    begin = _begin(text)
    for format in FORMATS:
        if re.match(format.begins, text[begin : begin + 10_000]):
            return format
    for format in FORMATS:
        if name.removesuffix(".gz").endswith(format.suffixes) and begin < len(text):
            return format
    shown = text[begin : begin + 40].split("\n")[0]
    raise NetworkFileError(f"the file begins with {shown!r}, as no known format does; bnlab reads {_READ}.")


def _begin(text: str) -> int:
    """Position of the first word after comments, declarations and a document type."""
    begin = _BEFORE.match(text).end()  # type: ignore[union-attr]
    doctype = _DOCTYPE.match(text, begin)
    return begin if doctype is None else _BEFORE.match(text, doctype.end()).end()  # type: ignore[union-attr]
