"""Rows in: tables of discrete data, the catalogue of public data sets, discretization and splits."""

from typing import TYPE_CHECKING

from bnlab._runtime.lazy import attach
from bnlab.data.catalogue import DataUnavailable, fetch, overview
from bnlab.data.discretize import mdl_cuts, quantile_cuts, width_cuts
from bnlab.data.file_format import FileFormat
from bnlab.data.gaps import gap_costs, gap_patterns, remove_values
from bnlab.data.load import as_table, load_data, load_frame
from bnlab.data.mmhc import mmhc_graph, mmhc_sample
from bnlab.data.parquet import ParquetTables
from bnlab.data.splits import five_fold, holdout
from bnlab.data.table import Table, concat
from bnlab.data.variable import Variable

if TYPE_CHECKING:
    from bnlab.data.mdl_transformer import MDLDiscretizer

__all__ = [
    "DataUnavailable",
    "FileFormat",
    "MDLDiscretizer",
    "ParquetTables",
    "Table",
    "Variable",
    "as_table",
    "concat",
    "fetch",
    "five_fold",
    "gap_costs",
    "gap_patterns",
    "holdout",
    "load_data",
    "load_frame",
    "mdl_cuts",
    "mmhc_graph",
    "mmhc_sample",
    "overview",
    "quantile_cuts",
    "remove_values",
    "width_cuts",
]

# scikit-learn is loaded on first use.
__getattr__, __dir__ = attach(__name__, __file__)
