"""Bayesian networks from text: the Interchange Format (BIF 0.15, Cozman 1998) as the bnlearn repository writes it.

The grammar, where commas and bars separate names but may be left out, as in the first files of the format::

    file        := { "network" NAME "{" {property} "}" | variable | probability }
    variable    := "variable" NAME "{" { "type" "discrete" "[" INTEGER "]" "{" NAME.. "}" ";" | property } "}"
    probability := "probability" "(" NAME [ "|" NAME.. ] ")" "{" { entry | property } "}"
    entry       := "(" STATE.. ")" NUMBER.. ";" | "table" NUMBER.. ";" | "default" NUMBER.. ";"
    property    := "property" .. ";"

A name is anything between double quotes, or any run of characters other than space, ``{}()[];,|"``. Comments
(``// ..`` and ``/* .. */``) begin where a token may begin, so that ``Asy/Patch`` is a name.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from pathlib import Path

from bnlab._runtime.files import open_to_read
from bnlab.networks.io.bif_reader import Reader
from bnlab.networks.io.bif_text import BifError
from bnlab.networks.io.bif_usual import usual_network
from bnlab.networks.network import BayesianNetwork

MAX_UNPACKED = 100


def read_bif(source: str | Path) -> BayesianNetwork:
    """Read a Bayesian network from a BIF file, or from the text of one.

    Rows that sum to 1 within 1e-6 are kept as printed. Rounded rows, up to 0.005 off, are divided by their sum.
    Parents are put in the order of the variables, whatever their order in the file.

    Parameters
    ----------
    source : Path or str
        Path of a ``.bif`` or ``.bif.gz`` file (UTF-8, or else Latin-1); a str with a brace or a line break is
        taken for the text itself.

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
    text = _read_text(source)
    try:
        return parse_bif(text)
    except BifError as error:
        raise BifError(error.line, error.message, source) from None


def parse_bif(text: str) -> BayesianNetwork:
    """Read a Bayesian network from the text of a BIF file; BifError as for `read_bif`."""
    text = text.removeprefix("\ufeff")
    network = usual_network(text)
    return Reader(text).network() if network is None else network


def _read_text(path: str | Path) -> str:
    with open_to_read(path, "give the path of a .bif or .bif.gz file.") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        limit = MAX_UNPACKED * len(data) + (1 << 20)
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
                data = file.read(limit + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise BifError(1, f"the file is a damaged gzip file: {error}.", path) from None
        if len(data) > limit:
            raise BifError(
                1, f"the file unpacks to more than {MAX_UNPACKED} times its size: unpack it yourself to read it.", path
            )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
