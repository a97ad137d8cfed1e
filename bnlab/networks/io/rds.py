"""Fitted networks of R bnlearn in ``.rds`` files, read by the optional package rdata."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from bnlab.networks.io.draft import Draft, NetworkFileError
from bnlab.networks.network import BayesianNetwork


def parse_rds(data: bytes) -> BayesianNetwork:
    """Read a discrete ``bn.fit`` object.

    Raises
    ------
    NetworkFileError
        If the data hold anything else.
    ImportError
        If rdata is not installed.
    """
    nodes = _converted(data)
    if isinstance(nodes, Mapping) and len(nodes) == 1:  # save() gives objects names
        (only,) = nodes.values()
        nodes = only if isinstance(only, Mapping) and "prob" not in only else nodes
    if not isinstance(nodes, Mapping) or not nodes:
        raise NetworkFileError("the file holds no fitted network of bnlearn: save the result of bn.fit by saveRDS.")
    draft = Draft(len(data))
    tables = {str(name): _prob(str(name), node) for name, node in nodes.items()}
    for name, prob in tables.items():
        draft.add_variable(name, map(str, prob.coords[prob.dims[0]].values))
    for name, prob in tables.items():
        given = [draft.index(str(parent)) for parent in prob.dims[1:]]
        for p, axis in zip(given, prob.dims[1:], strict=True):
            if draft.variables[p].states != tuple(map(str, prob.coords[axis].values)):
                raise NetworkFileError(f"the table of {name!r} has other states of {axis!r} than its own table.")
        draft.add_table(
            draft.index(name), given, np.moveaxis(np.asarray(prob.values, np.float64), 0, -1).ravel().tolist()
        )
    return draft.network()


def _converted(data: bytes) -> Any:
    try:
        import rdata
    except ImportError:
        raise ImportError("reading .rds files needs rdata: pip install 'bnlab[r]'.") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that classes of bnlearn are read as the lists that they are
        try:
            return rdata.conversion.convert(rdata.parser.parse_data(data))
        except Exception as error:
            raise NetworkFileError(f"this is no R data that can be read: {error}.") from None


def _prob(name: str, node: Any) -> Any:
    if not isinstance(node, Mapping) or "prob" not in node or type(node["prob"]).__name__ != "DataArray":
        raise NetworkFileError(f"node {name!r} has no table of probabilities: only discrete networks can be read.")
    return node["prob"]
