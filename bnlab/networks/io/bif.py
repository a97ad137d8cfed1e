"""Bayesian networks from text: the Interchange Format (BIF 0.15, Cozman 1998) as it is written by many packages.

The grammar, where commas separate names and numbers, but may be left out if no name has a blank::

    file        := { "network" NAME "{" {property} "}" | variable | probability }
    variable    := "variable" NAME "{" { "type" "discrete" "[" INTEGER "]" "{" NAME.. "}" ";" | property } "}"
    probability := "probability" "(" NAME [ "|" NAME.. ] ")" "{" { entry | property } "}"
    entry       := "(" STATE.. ")" NUMBER.. ";" | "table" NUMBER.. ";" | "default" NUMBER.. ";"
    property    := "property" .. ";"

A name stands between double quotes, or is whatever stands between the marks around it, such as ``BP (mmHg)`` or
``5" disk``. Comments (``// ..`` and ``/* .. */``) may follow a name at once; ``//`` inside a word, as in ``http://x``,
is part of it where the line goes on with a comma or a closing mark.
"""

from __future__ import annotations

import re
from pathlib import Path

from bnlab.networks.io.bif_reader import Reader
from bnlab.networks.io.bif_text import BifError
from bnlab.networks.io.draft import NetworkFileError
from bnlab.networks.io.source import as_text, read_content
from bnlab.networks.network import BayesianNetwork


def read_bif(source: str | Path) -> BayesianNetwork:
    """Read a Bayesian network from a BIF file, or from the text of one; `read_network` reads other formats, too.

    Rows that sum to 1 within 1e-6 are kept as printed. Rounded rows, up to 0.005 off, are divided by their sum.
    Parents are put in the order of the variables, whatever their order in the file.

    Parameters
    ----------
    source : Path or str
        Path of a ``.bif`` or ``.bif.gz`` file; a str with a brace or a line break is taken for the text itself.

    Raises
    ------
    BifError
        (A ValueError.) If the text breaks the grammar, names an unknown variable or state, lacks a table or a row
        of one, says something twice, or holds rows that are no probabilities or a graph with a cycle.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> text = '''
    ... network example { }
    ... variable rain { type discrete [ 2 ] { no, yes }; }
    ... variable wet { type discrete [ 2 ] { no, yes }; }
    ... probability ( rain ) { table 0.8, 0.2; }
    ... probability ( wet | rain ) { (no) 0.9, 0.1; (yes) 0.25, 0.75; }
    ... '''
    >>> read_bif(text).cpt("wet")
    array([[0.9 , 0.1 ],
           [0.25, 0.75]])
    """
    if isinstance(source, str) and re.search(r"[{}\n]", source):
        return parse_bif(source)
    try:
        return parse_bif(as_text(read_content(source, "give the path of a .bif or .bif.gz file."), source))
    except BifError as error:
        raise BifError(error.line, error.message, source) from None
    except NetworkFileError as error:
        raise BifError(1, error.message, source) from None


def parse_bif(text: str) -> BayesianNetwork:
    """Read a Bayesian network from the text of a BIF file; BifError as for `read_bif`."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BifError(text.count("\n", 0, error.start) + 1, f"{text[error.start]!r} is half of a character.") from None
    return Reader(text.removeprefix("\ufeff")).network()
