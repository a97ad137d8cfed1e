"""Tables of the numbers and claims that the papers report: each paper's folder holds its own as CSV files."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pandas as pd

from bnlab.papers.base.metrics import Z95


def read_reported(package: str, name: str, **options: Any) -> pd.DataFrame:
    """Table ``NAME.csv`` in the folder of a package, with options of `pandas.read_csv`."""
    with files(package).joinpath(f"{name}.csv").open() as file:
        return pd.read_csv(file, **options)


def with_real_intervals(table: pd.DataFrame) -> pd.DataFrame:
    """Add half-widths of 95 % intervals: those printed for cross-validation are one standard error, not 1.96."""
    factor = table.test.eq("CV-5").map({True: Z95, False: 1.0})
    return table.assign(half_width_95=table.half_width * factor)
