"""Samples and true graphs of the MMHC study.

I. Tsamardinos, L. E. Brown and C. F. Aliferis (2006), The max-min hill-climbing Bayesian network structure learning
algorithm, Machine Learning 65, 31-78; online supplement.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlab._runtime.names import check_known, nearest
from bnlab.data import catalogue
from bnlab.data.table import Table
from bnlab.data.variable import Variable

_ROWS = (500, 1000, 5000)
_VERSIONS = range(1, 11)


def mmhc_sample(name: str, rows: int = 5000, version: int = 1, *, names: Sequence[str] | None = None) -> Table:
    """Load one sample of the study.

    Parameters
    ----------
    name : str
        "Alarm1", "Child", "Insurance", "HailFinder" or a tiling, "Alarm3", "Alarm5", ...
    rows : {500, 1000, 5000}
    version : int
        1 to 10.
    names : sequence of str, optional
        Names of the variables; X1, X2, ... by default, because the files have no names.

    Returns
    -------
    Table
        The states are the numbers 0, 1, ... up to the greatest in any sample of 5000 rows of the network, because a
        small sample may not have all states.

    Raises
    ------
    ValueError
        If the network or the sample is unknown, or the number of names is wrong.
    """
    if rows not in _ROWS or version not in _VERSIONS:
        raise ValueError(f"rows={rows}, version={version}: there are samples of {_ROWS} rows, versions 1 to 10.")
    codes = _numbers(name, f"{name}_s{rows}_v{version}.txt")
    arities = _arities(name)
    if names is None:
        names = [f"X{i}" for i in range(1, len(arities) + 1)]
    if len(names) != len(arities):
        raise ValueError(f"{len(names)} names for the {len(arities)} variables of {name}.")
    variables = [Variable(v, tuple(range(r))) for v, r in zip(names, arities, strict=True)]
    return Table.from_codes(codes, variables)


def mmhc_graph(name: str) -> NDArray[np.bool_]:
    """Load the true graph of a network of the study.

    Returns
    -------
    ndarray of bool, shape (n, n)
        Entry (i, j) is True for an arc i -> j; the variables are in the order of the samples.

    Raises
    ------
    ValueError
        If the network is unknown, or is HailFinder: the variables of its graph file are not in the order of its
        samples, which is that of `load_network("hailfinder")`.
    """
    if name == "HailFinder":
        raise ValueError(
            "the graph file of HailFinder is not in the order of its samples: they follow the variables of "
            'bnlab.load_network("hailfinder"), so compare with that network.'
        )
    return _numbers(name, f"{name}_graph.txt").astype(bool)


@lru_cache(maxsize=16)
def _arities(name: str) -> tuple[int, ...]:
    files = [f"{name}_s5000_v{version}.txt" for version in _VERSIONS]
    present = [file for file in files if file in _members(name)]
    return tuple((np.max([_numbers(name, file).max(axis=0) for file in present], axis=0) + 1).tolist())


def _members(name: str) -> dict[str, str]:
    """Text files of a network, and for each the file of the catalogue that contains it."""
    own = [entry.file for entry in catalogue.entries() if entry.kind == "mmhc" and entry.name == name]
    if not own:
        raise ValueError(f"the study has no network {name!r}: {nearest(name, catalogue.names('mmhc'))}")
    members: dict[str, str] = {}
    for file in own:
        if file.endswith(".zip"):
            with zipfile.ZipFile(catalogue.fetch(file)) as archive:
                members.update(dict.fromkeys(archive.namelist(), file))
        else:
            members[file.rpartition("/")[2]] = file
    return members


def _numbers(name: str, member: str) -> NDArray[Any]:
    """Matrix of small integers in one text file, which may be a member of an archive."""
    members = _members(name)
    check_known(member, members, f"{name}: the study's data at hand have no {member!r}")
    path = catalogue.fetch(members[member])
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            text = archive.read(member)
    else:
        text = path.read_bytes()
    return np.array(text.split(), dtype=np.uint8).reshape(-1, len(text.partition(b"\n")[0].split()))
