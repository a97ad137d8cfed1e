"""Networks by name or path."""

from __future__ import annotations

from pathlib import Path

from bnlab._runtime.names import nearest
from bnlab.networks.io.bif import read_bif
from bnlab.networks.network import BayesianNetwork
from bnlab.networks.textbook import TEXTBOOK


def load_network(name: str | Path) -> BayesianNetwork:
    """Network by its name, or from a BIF file.

    Parameters
    ----------
    name : str or Path
        "asia", "cancer", "earthquake", "simple" (written out in this package, no file needed), a network of the
        catalogue ("alarm", "andes", "child", "hailfinder", "insurance", "sachs", "survey"), or the path of a
        ``.bif`` or ``.bif.gz`` file. A string without folder and suffix is a name.

    Raises
    ------
    ValueError
        If there is no such network; near names are offered.
    TypeError
        If it is neither a string nor a path.
    OSError
        If a path is given and no file is there, or it is a folder or cannot be read.
    BifError
        If the file is not a Bayesian network in BIF.

    Examples
    --------
    >>> load_network("cancer").n_parameters
    10
    """
    if isinstance(name, str):
        if name in TEXTBOOK:
            return TEXTBOOK[name]()
        if Path(name).stem == name:
            return _from_catalogue(name)
    return read_bif(Path(name) if isinstance(name, str) else name)


def _from_catalogue(name: str) -> BayesianNetwork:
    from bnlab.data import catalogue

    known = catalogue.names("network")
    if name not in known:
        raise ValueError(
            f"no network is called {name!r}; {nearest(name, {*TEXTBOOK, *known})} "
            "Any other loads by the path of its .bif file."
        )
    return read_bif(catalogue.fetch(f"networks/{name}.bif"))
