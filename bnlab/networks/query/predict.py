"""Predictions for rows in which any columns are absent or empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlab.data.table import Table
from bnlab.networks.propagation import CodeArray
from bnlab.networks.query.inference import JunctionTree
from bnlab.networks.rows import impossible_row
from bnlab.networks.types import Network

if TYPE_CHECKING:
    import pandas as pd


def predict(net: Network, data: pd.DataFrame | Table, targets: str | Sequence[str] | None = None) -> pd.DataFrame:
    """Most probable state of each target in each row, given the values of the row.

    Parameters
    ----------
    net : BayesianNetwork
    data : DataFrame or Table
        Columns may be absent or have missing values, and there may be others. States are matched by equality, otherwise
        by their text.
    targets : str or sequence of str, optional
        Nodes to predict; their own columns are not used. By default every node whose column is absent or has missing
        values, and then the values that are present stay.

    Returns
    -------
    DataFrame
        One row per row of the data, with its index, and one column per target. Each target is predicted on its own;
        `impute` gives the values that are most probable together.

    Raises
    ------
    ImpossibleEvidence
        (A ValueError.) If the values of a row have probability 0.
    ValueError
        If a target is unknown, two columns have the name of a node, a value is no state of its node, rows of a Table
        are interventions, or exact inference needs too much memory.

    Examples
    --------
    >>> import pandas as pd
    >>> from bnlab.networks import asia
    >>> rows = pd.DataFrame({"dysp": ["yes", "yes"], "xray": ["yes", None], "smoke": ["yes", "no"]})
    >>> predict(asia(), rows, ["lung", "bronc"])
      lung bronc
    0  yes   yes
    1   no   yes
    """
    import pandas as pd

    codes = _codes_of(net, data)
    arities = np.array(net.arities)
    if targets is None:
        nodes = np.flatnonzero((codes == arities[:, None]).any(axis=1)).tolist()
    else:
        nodes = [net.dag.index(name) for name in ([targets] if isinstance(targets, str) else targets)]
        codes[nodes] = arities[nodes, None]
    found = {}
    for v, shares in zip(nodes, _marginals(net, codes, nodes), strict=True):
        states = pd.Series(net.variables[v].states, dtype=object)
        found[net.names[v]] = states.iloc[shares.argmax(axis=1)].infer_objects().to_numpy()
    return pd.DataFrame(found, index=_index_of(data))


def predict_proba(net: Network, data: pd.DataFrame | Table, target: str) -> pd.DataFrame:
    """Probability of each state of a target in each row, given the values of the row.

    Parameters
    ----------
    net : BayesianNetwork
    data : DataFrame or Table
        As for `predict`; the target's own column is not used.
    target : str

    Returns
    -------
    DataFrame
        One row per row of the data, with its index, and one column per state. Rows sum to 1.

    Raises
    ------
    ImpossibleEvidence, ValueError
        As for `predict`.

    Examples
    --------
    >>> import pandas as pd
    >>> from bnlab.networks import asia
    >>> rows = pd.DataFrame({"dysp": ["yes", "yes"], "xray": ["yes", None]})
    >>> predict_proba(asia(), rows, "lung").round(3)
         yes     no
    0  0.621  0.379
    1  0.103  0.897
    """
    import pandas as pd

    codes, v = _codes_of(net, data), net.dag.index(target)
    codes[v] = net.arities[v]
    (shares,) = _marginals(net, codes, [v])
    return pd.DataFrame(shares, columns=list(net.variables[v].states), index=_index_of(data))


def _marginals(net: Network, codes: CodeArray, nodes: Sequence[int]) -> list[np.ndarray]:
    tree = JunctionTree(net)
    found, logs = tree.propagation.marginals(tree.numbers, codes, nodes)
    if np.isneginf(logs).any():
        raise impossible_row(net, codes)
    return found


def _codes_of(net: Network, data: pd.DataFrame | Table) -> CodeArray:
    """Codes of all nodes, shape (n, rows); the arity stands for a missing value or an absent column."""
    import pandas as pd

    from bnlab.data.encode import codes_in
    from bnlab.data.load import as_pandas

    if isinstance(data, Table) and data.interventions:
        raise ValueError(
            "some rows are interventions, and a prediction reads their values as observed: predict rows in which the "
            "same variables were set with net.do(...), or read all as observed, table.with_interventions(None)."
        )
    frame = data.to_pandas() if isinstance(data, Table) else as_pandas(data)
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"data is of type {type(data).__name__}: a DataFrame or a Table is needed.")
    twice = [name for name in frame.columns[frame.columns.duplicated()] if name in net.names]
    if twice:
        raise ValueError(f"two columns are called {twice[0]!r}: names must differ.")
    codes = np.repeat(np.array(net.arities, np.int32)[:, None], len(frame), axis=1)
    for v, variable in enumerate(net.variables):
        if variable.name in frame.columns:
            codes[v] = codes_in(frame[variable.name], variable.code, variable.arity)
    return codes


def _index_of(data: pd.DataFrame | Table) -> Any:
    import pandas as pd

    return data.index if isinstance(data, pd.DataFrame) else None
