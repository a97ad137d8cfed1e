"""A network looks at the columns of its nodes and at no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.networks import impute

OTHERS = {
    "age": [1.5] * 30,
    "id": [f"p{i}" for i in range(30)],
    "when": pd.date_range("2020", periods=30),
    "mixed": [1, "a", None] * 10,
    "lists": [[1]] * 30,
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("use", [lambda net, rows: net.log_likelihood(rows), lambda net, rows: impute(net, rows)])
def test_other_columns_change_nothing(name: str, use: Callable[..., Any]) -> None:
    net = bnlab.load_network("asia")
    rows = net.sample(30, seed=1).to_pandas()
    rows.loc[::3, "lung"] = None
    more = rows.assign(**{name: OTHERS[name]})[[name, *reversed(rows.columns)]]
    found, alone = use(net, more), use(net, rows)
    assert np.array_equal(found, alone) if isinstance(found, np.ndarray) else found.equals(alone)


def test_a_missing_node_is_named() -> None:
    net = bnlab.load_network("asia")
    rows = net.sample(5, seed=1).to_pandas().drop(columns="lung")
    with pytest.raises(ValueError, match="no variable is called 'lung'"):
        net.log_likelihood(rows.assign(age=1.5))
