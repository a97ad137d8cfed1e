import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bnlab
from bnlab.counts.chunked import ChunkedSource
from bnlab.data import concat
from bnlab.data.parquet import ParquetTables


@pytest.fixture
def frame():
    frame = bnlab.load_network("asia").sample(1000, seed=1).to_pandas().astype(str)
    frame["visits"] = range(3, 3 + len(frame))
    frame["visits"] %= 7
    frame["again"] = frame["visits"] > 2
    frame["ward"] = pd.Categorical(["west", "east", "north", "west"] * 250, categories=["north", "west", "east"])
    return frame


@pytest.mark.parametrize("rows", [1, 333, 10_000])
def test_chunks_put_together_are_the_table_in_memory(frame, tmp_path, rows):
    frame.head(50 if rows == 1 else 1000).to_parquet(tmp_path / "x.parquet", row_group_size=400)
    chunks = list(ParquetTables(tmp_path / "x.parquet", rows=rows).tables())
    assert max(chunk.n_rows for chunk in chunks) <= rows
    whole = bnlab.load_data(tmp_path / "x.parquet")
    assert concat(chunks).equals(whole)
    assert ParquetTables(tmp_path / "x.parquet", rows=rows).to_table().equals(whole)


def test_a_network_learned_from_chunks_is_that_of_the_table(frame, tmp_path):
    for part in range(2):
        pq.write_table(pa.Table.from_pandas(frame[part::2]), tmp_path / f"{part}.parquet")
    tables = ParquetTables(tmp_path, columns=list(frame.columns[:8]), rows=128)
    whole = bnlab.load_data(frame[list(frame.columns[:8])])
    learned = bnlab.learn(ChunkedSource(tables.tables), "hill-climbing", score="bdeu")
    assert learned == bnlab.learn(whole, "hill-climbing", score="bdeu")


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (["a", None], ValueError, "missing values"),
        ([0.5, 1.5], ValueError, "continuous"),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), TypeError, "timestamp"),
    ],
)
def test_columns_that_are_no_states_are_refused(tmp_path, column, error, message):
    pd.DataFrame({"x": column}).to_parquet(tmp_path / "x.parquet")
    with pytest.raises(error, match=message):
        ParquetTables(tmp_path / "x.parquet")


def test_bad_requests_are_refused(frame, tmp_path):
    path = tmp_path / "x.parquet"
    with pytest.raises(FileNotFoundError, match="no file"):
        ParquetTables(path)
    frame.head(0).to_parquet(path)
    with pytest.raises(ValueError, match="no rows"):
        ParquetTables(path)
    with pytest.raises(ValueError, match="rows=0"):
        ParquetTables(path, rows=0)
    with pytest.raises(ValueError, match="no column is called 'tubb'"):
        ParquetTables(path, columns=["tubb"])
    path.write_text("no parquet")
    with pytest.raises(ValueError, match=r"cannot be read as a \.parquet file"):
        ParquetTables(path)


def test_rows_may_be_a_number_of_numpy_and_columns_differ(frame, tmp_path):
    frame.to_parquet(tmp_path / "x.parquet")
    assert len(list(ParquetTables(tmp_path / "x.parquet", rows=np.int64(len(frame) - 1)).tables())) == 2
    first = frame.columns[0]
    with pytest.raises(ValueError, match=rf"columns names '{first}' twice"):
        ParquetTables(tmp_path / "x.parquet", columns=[first, first])
