from __future__ import annotations

import datetime
import enum
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bnlab.analysis import describe_columns
from bnlab.data import Table, load_data


def states(values: Any, **kwargs: Any) -> tuple[Any, ...]:
    return table_of(values, **kwargs).variables[0].states


def table_of(values: Any, **kwargs: Any) -> Table:
    series = values if isinstance(values, pd.Series) else pd.Series(values, dtype=object)
    return Table.from_pandas(pd.DataFrame({"x": series}), **kwargs)


TEXT_DTYPES = ["object", "str", "category", pd.StringDtype("python"), "string[pyarrow]"]


@pytest.mark.parametrize("dtype", TEXT_DTYPES)
def test_text_of_any_dtype_gets_the_same_sorted_states_and_codes(dtype: Any) -> None:
    table = table_of(pd.Series(["b", "c", "a", "b"], dtype=dtype))
    assert table.variables[0].states == ("a", "b", "c")
    assert table.column(0).tolist() == [1, 2, 0, 1]


@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "int16", "int64", "Int64", "uint64", "object", "category", "Sparse[int]"]
)
def test_integers_of_any_dtype_get_the_same_states_and_codes(dtype: str) -> None:
    table = table_of(pd.Series([7, 3, 100, 7], dtype=dtype))
    assert table.variables[0].states == (3, 7, 100)
    assert [type(state) for state in table.variables[0].states] == [int, int, int]
    assert table.column(0).tolist() == [1, 0, 2, 1]


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        ("int8", [-128, 127, 0]),
        ("int64", [-(2**63), 2**63 - 1, 0]),
        ("int64", [2**63 - 1, 2**63 - 2, 2**63 - 1]),
        ("int64", [-(2**63), 1 - 2**63]),
        ("uint64", [2**64 - 1, 2**64 - 2]),
        ("uint64", [0, 2**64 - 1]),
    ],
)
def test_integers_at_the_ends_of_their_range_keep_their_values(dtype: str, values: list[int]) -> None:
    table = table_of(pd.Series(values, dtype=dtype))
    assert table.variables[0].states == tuple(sorted(set(values)))
    assert [table.variables[0].states[code] for code in table.column(0)] == values


@pytest.mark.parametrize("dtype", ["bool", "boolean", "object"])
def test_booleans_are_states(dtype: str) -> None:
    assert states(pd.Series([True, False, True], dtype=dtype)) == (False, True)
    assert states(pd.Series([True, True], dtype=dtype)) == (True,)


def test_numpy_scalars_in_an_object_column_are_plain_states() -> None:
    column = pd.Series([np.str_("b"), "a", np.str_("a")], dtype=object)
    assert states(column) == ("a", "b")
    assert {type(state) for state in states(column)} == {str}


def test_equal_text_in_different_objects_is_one_state() -> None:
    rows = ["".join(["a", str(i % 3)]) for i in range(30)]
    assert len({id(row) for row in rows}) == 30
    table = table_of(rows)
    assert table.variables[0].states == ("a0", "a1", "a2")
    assert table.column(0).tolist() == [i % 3 for i in range(30)]


LONG = 70_000
WORDS = ["", "a", "12345678", "123456789", "123456780", "Ärger im Verzug", "z"]


@pytest.mark.parametrize("dtype", TEXT_DTYPES)
@pytest.mark.parametrize("words", [WORDS, ["a"], [f"state {k}" for k in range(500)]], ids=["few", "one", "many"])
@pytest.mark.parametrize("last", ["a", "seen last"])
def test_long_columns_of_text_are_coded_as_short_ones_are(dtype: Any, words: list[str], last: str) -> None:
    values = np.random.default_rng(0).choice(np.array(words, dtype=object), LONG)
    values[-1] = last
    table = table_of(pd.Series(values, dtype=object).astype(dtype))
    assert table.variables[0].states == tuple(sorted(set(values)))
    assert np.array_equal(np.array(table.variables[0].states, dtype=object)[table.column(0)], values)


def test_long_columns_in_several_chunks_of_arrow_are_coded_as_one() -> None:
    halves = [pd.DataFrame({"x": np.resize(words, LONG)}, dtype="str") for words in (["b", "a"], ["c", "b"])]
    frame = pd.concat(halves)
    table = Table.from_pandas(frame)
    assert [table.variables[0].states[k] for k in table.column(0)] == list(frame["x"])


@pytest.mark.parametrize("dtype", TEXT_DTYPES)
def test_missing_text_is_missing_in_any_dtype(dtype: Any) -> None:
    table = table_of(pd.Series(["b", None, "a"], dtype=dtype), missing="state")
    assert table.variables[0].states == ("a", "b", "missing")
    assert table.column(0).tolist() == [1, 2, 0]


def test_text_in_objects_that_differ_may_be_missing_or_of_another_type() -> None:
    rows: list[Any] = ["".join(["a", str(i % 3)]) for i in range(5000)]
    table = table_of([*rows, None], missing="state")
    assert table.variables[0].states == ("a0", "a1", "a2", "missing")
    with pytest.raises(TypeError, match="mixes values of the types int, str"):
        table_of([*rows, 1])


def test_categories_keep_their_order_and_those_unobserved() -> None:
    column = pd.Series(pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"], ordered=True))
    table = table_of(column)
    assert table.variables[0].states == ("lo", "mid", "hi")
    assert table.column(0).tolist() == [0, 2]


def test_columns_of_a_slice_with_another_index_are_read_by_position() -> None:
    frame = pd.DataFrame({"x": list("abcdef"), "y": range(6)}, index=list("uvwxyz")).iloc[::-2]
    table = Table.from_pandas(frame)
    assert table.to_pandas().to_dict("list") == {"x": ["f", "d", "b"], "y": [5, 3, 1]}


def test_columns_of_objects_need_not_be_contiguous() -> None:
    frame = pd.DataFrame({"u": list("abcde"), "v": list("xyxyx")}, dtype=object).iloc[::-2]
    assert not frame["u"].to_numpy().flags.c_contiguous
    assert Table.from_pandas(frame).to_pandas().to_dict("list") == {"u": ["e", "c", "a"], "v": ["x", "x", "x"]}


def test_more_states_than_rows_is_a_table() -> None:
    table = Table.from_pandas(pd.DataFrame({"id": range(300), "x": pd.Categorical(["a"] * 300, list("abc") + ["d"])}))
    assert table.arities == (300, 4)
    assert table.head(2).arities == (300, 4)


def test_a_constant_column_has_one_state() -> None:
    assert states(["a", "a"]) == ("a",)
    assert states(pd.Series([5, 5])) == (5,)


def test_the_target_is_recorded_and_must_exist() -> None:
    assert table_of(["a"], target="x").target == "x"
    with pytest.raises(ValueError, match="no variable is called 'xx': did you mean 'x'"):
        table_of(["a"], target="xx")


def test_floats_are_continuous_and_the_error_offers_the_discretizer() -> None:
    frame = pd.DataFrame({"a": [0.5, 1.5], "b": ["u", "v"], "c": [1.0, 2.0], "d": [np.nan, 1.0]})
    with pytest.raises(ValueError, match="columns 'a', 'c', 'd' are continuous") as caught:
        Table.from_pandas(frame)
    message = str(caught.value)
    assert 'bnlab.load_data(x, discretize="mdl", target="class")' in message
    assert "Columns 'c', 'd' hold whole numbers only" in message
    assert ".astype(int)" in message


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([0.5], dtype="float32"),
        pd.Series([0.5, None], dtype="Float64"),
        pd.Series([0.5, 1], dtype=object),
        pd.Series([Decimal("0.5")], dtype=object),
        pd.Series([None, np.float64(0.5)], dtype=object),
        pd.Series([np.longdouble(0.5)], dtype=object),
        pd.Series([Fraction(1, 2), 1], dtype=object),
        pd.Series([0.0, 1.5], dtype="Sparse[float]"),
    ],
)
def test_floats_of_any_dtype_are_continuous(column: pd.Series) -> None:
    with pytest.raises(ValueError, match="columns 'x' are continuous"):
        table_of(column)


def test_a_long_list_of_continuous_columns_is_cut() -> None:
    with pytest.raises(ValueError, match=r"'x7', \.\.\. \(30 in all\) are continuous"):
        Table.from_pandas(pd.DataFrame(np.full((2, 30), 0.5), columns=[f"x{i}" for i in range(30)]))


MIXED = [
    (["a", 1], "int, str"),
    (["a", 1.5], "float, str"),
    ([1, True], "bool, int"),
    ([True, 1], "bool, int"),
    ([0, False, 0], "bool, int"),
    ([("a",), "a"], "str, tuple"),
    (["a", b"a", None], "bytes, str"),
]


def in_arrow(values: Any, kind: str | None = None, *, dictionary: bool = False) -> pd.Series:
    """Column of an array of Arrow, or of values that become one."""
    array = values if isinstance(values, pa.Array) else pa.array(values, kind and getattr(pa, kind)())
    chunks = pa.chunked_array([array.dictionary_encode() if dictionary else array])
    return pd.Series(pd.arrays.ArrowExtensionArray(chunks))


LISTS = {
    "lists": [[1], [2], None],
    "structs": [{"a": 1}, {"a": 2}, {"a": 1}],
    "lists of structs": [[{"a": [0.5]}], [], None],
}
TIMES = {
    "timestamps": [datetime.datetime(2020, 1, 1)] * 3,
    "dates": [datetime.date(2020, 1, 1)] * 3,
    "times": [datetime.time(1)] * 3,
    "durations": [datetime.timedelta(1), None, None],
}


@pytest.mark.parametrize("values", [*LISTS.values(), *TIMES.values()], ids=[*LISTS, *TIMES])
@pytest.mark.parametrize("discretize", [None, "quantile"])
def test_lists_and_times_of_arrow_are_refused(values: list[Any], discretize: Any) -> None:
    column = in_arrow(values)
    frame = pd.DataFrame({"x": column, "number": [0.5, 1.5, 2.5]}) if discretize else pd.DataFrame({"x": column})
    for missing in ("error", "drop", "state"):
        with pytest.raises(TypeError, match=r"column 'x' is of dtype .*\[pyarrow\]: a Table takes .* or leave it out"):
            load_data(frame, discretize=discretize, missing=missing)
    described = describe_columns(frame).loc["x"]
    assert described.kind == "unsuitable"
    assert described.missing == values.count(None)
    assert table_of(pd.Series(column.tolist()).astype(str), missing="state").arities[0] > 0


@pytest.mark.parametrize("kind", ["list_", "map_", "struct", "union", "month_day_nano_interval", "string_view", "ree"])
def test_every_other_type_of_arrow_is_refused_in_plain_words(kind: str) -> None:
    array = {
        "list_": lambda: pa.array([[1]], pa.list_(pa.int64(), 1)),
        "map_": lambda: pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        "struct": lambda: pa.array([{"a": None}]),
        "union": lambda: pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]),
        "month_day_nano_interval": lambda: pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
        "string_view": lambda: pa.array(["a"], pa.string_view()) if hasattr(pa, "string_view") else pa.array([[1]]),
        "ree": lambda: pa.RunEndEncodedArray.from_arrays([1], ["a"]),
    }[kind]()
    column = in_arrow(array)
    with pytest.raises(TypeError, match="a Table takes strings, integers, booleans and categoricals"):
        table_of(column)
    assert describe_columns(pd.DataFrame({"x": column})).kind["x"] == "unsuitable"


@pytest.mark.parametrize("dictionary", [False, True], ids=["plain", "dictionary"])
@pytest.mark.parametrize("values", [[Decimal("0.5"), Decimal("1.5"), None, Decimal("2.5")], [0.5, 1.5, None, 2.5]])
def test_decimals_and_floats_of_arrow_are_continuous_as_those_of_python_are(values: Any, dictionary: bool) -> None:
    columns = in_arrow(values, dictionary=dictionary), pd.Series(values, dtype=object)
    for one in columns:
        with pytest.raises(ValueError, match="columns 'x' are continuous"):
            table_of(one, missing="state")
        assert describe_columns(pd.DataFrame({"x": one})).kind["x"] == "continuous"
    tables = [load_data(pd.DataFrame({"x": one}), discretize="width", missing="state") for one in columns]
    assert tables[0].equals(tables[1])
    assert tables[0].variables[0].states[-1] == "missing"


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["b", "a", None], "large_string"),
        ([2, 1, None], "int16"),
        ([True, None, False], None),
        ([b"b", b"a", None], "binary"),
        ([None, None, None], None),
    ],
)
def test_states_of_arrow_are_those_of_python(values: list[Any], kind: str | None) -> None:
    expected = table_of(pd.Series(values, dtype=object), missing="state")
    for dictionary in (False, True) if values[0] is not None else (False,):
        assert table_of(in_arrow(values, kind, dictionary=dictionary), missing="state").equals(expected)


@pytest.mark.parametrize(("values", "kinds"), MIXED)
def test_mixed_types_are_refused_by_name(values: list[Any], kinds: str) -> None:
    with pytest.raises(TypeError, match=rf"column 'x' mixes values of the types {kinds}.*astype\(str\)"):
        table_of(values)


def test_values_that_cannot_be_hashed_are_refused() -> None:
    with pytest.raises(TypeError, match="column 'x' holds values that cannot be states"):
        table_of([["a"], ["b"]])


def test_values_without_an_order_need_a_categorical() -> None:
    kind = enum.Enum("kind", ["P", "Q"])
    with pytest.raises(TypeError, match="column 'x' holds kind values, which have no order: make it a pandas cat"):
        table_of([kind.Q, kind.P])
    assert states(pd.Series(pd.Categorical([kind.Q], categories=[kind.Q, kind.P]))) == (kind.Q, kind.P)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([datetime.datetime(2020, 1, 1)]),
        pd.Series([datetime.timedelta(1)]),
        pd.Series([1j]),
        pd.Series(pd.period_range("2020", periods=1, freq="D")),
        pd.Series(pd.interval_range(0, 1)),
        pd.Series([np.datetime64("2020-01-01")], dtype="Sparse[datetime64[ns]]"),
        *(
            pd.Series([value], dtype=object)
            for value in (
                *(datetime.date(2020, 1, 1), datetime.time(1), datetime.timedelta(1), datetime.datetime(2020, 1, 1)),
                *(pd.Timestamp("2020"), pd.Period("2020"), pd.Interval(0, 1)),
            )
        ),
    ],
)
def test_dates_and_the_like_are_refused(column: pd.Series) -> None:
    with pytest.raises(TypeError, match=r"column 'x' (is of dtype|holds) .*astype\(\"category\"\), or leave it out"):
        table_of(column)
    assert table_of(column.astype("category")).arities == (1,)
    assert table_of(column.astype(str)).arities == (1,)
    assert describe_columns(pd.DataFrame({"x": column})).kind["x"] == "unsuitable"


@pytest.mark.parametrize(
    ("frame", "error", "message"),
    [
        (pd.DataFrame({0: ["a"], "b": ["a"]}), TypeError, "column names 0 are not strings"),
        (pd.DataFrame([["a", "b"]], columns=pd.MultiIndex.from_tuples([("u", "v"), ("u", "w")])), TypeError, "not str"),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), ValueError, "two columns are called 'x'"),
        (pd.DataFrame(index=range(3)), ValueError, "3 rows and 0 columns"),
        (pd.DataFrame({"x": []}), ValueError, "0 rows and 1 columns"),
        ([["a"]], TypeError, "a pandas DataFrame is needed, not a list"),
    ],
)
def test_frames_that_are_no_tables_are_refused(frame: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Table.from_pandas(frame)


def incomplete() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "text": pd.Series(["b", None, "a", "c"], dtype=object),
            "cat": pd.Categorical(["u", "v", None, "u"], categories=["v", "u", "w"]),
            "int": pd.Series([3, 1, 2, None], dtype="Int64"),
            "full": [1, 1, 2, 2],
        }
    )


def test_missing_values_are_an_error_that_names_the_columns_and_the_ways_out() -> None:
    with pytest.raises(ValueError, match=r"columns 'text', 'cat', 'int' have missing values.*drop.*state"):
        Table.from_pandas(incomplete())


def test_drop_keeps_complete_rows_and_declared_categories() -> None:
    table = Table.from_pandas(incomplete(), missing="drop")
    assert table.n_rows == 1
    assert [variable.states for variable in table.variables] == [("b",), ("v", "u", "w"), (3,), (1,)]
    with pytest.raises(ValueError, match=r"none of the 2 rows is complete.*most missing values \(1 each\): '"):
        Table.from_pandas(incomplete().iloc[1:3], missing="drop")


def test_state_gives_columns_with_gaps_one_more_state_the_last() -> None:
    table = Table.from_pandas(incomplete(), missing="state")
    assert [variable.states for variable in table.variables] == [
        ("a", "b", "c", "missing"),
        ("v", "u", "w", "missing"),
        (1, 2, 3, "missing"),
        (1, 2),
    ]
    assert table.column("text").tolist() == [1, 3, 0, 2]
    assert table.column("cat").tolist() == [1, 0, 3, 1]


def test_a_state_called_missing_is_not_merged_with_the_gaps() -> None:
    table = table_of(["missing", None, "missing_2", "a"], missing="state")
    assert table.variables[0].states == ("a", "missing", "missing_2", "missing_3")
    assert table.column(0).tolist() == [1, 3, 2, 0]


def test_the_state_of_gaps_may_need_a_wider_dtype() -> None:
    values: list[str | None] = [f"{i:03}" for i in range(256)]
    assert table_of(values).column(0).dtype == np.uint8
    column = table_of([*values, None], missing="state").column(0)
    assert column.dtype == np.uint16
    assert column[-1] == 256
    categories = pd.Series(pd.Categorical([*values[:128], None]))
    assert table_of(categories, missing="state").column(0)[-1] == 128


@pytest.mark.parametrize("column", [pd.Series([np.nan, np.nan]), pd.Series([None, None], dtype=object)])
def test_a_column_of_gaps_is_missing_not_continuous(column: pd.Series) -> None:
    with pytest.raises(ValueError, match="columns 'x' have missing values"):
        table_of(column)
    assert states(column, missing="state") == ("missing",)


@pytest.mark.parametrize("missing", ["error", "drop", "state", "keep"])
@pytest.mark.parametrize("codes", [[0, 7, 1], [-1, 7, 1]])
def test_a_categorical_with_codes_beyond_its_categories_is_refused(missing, codes):
    unchecked = pd.Categorical.from_codes(codes, ["a", "b"], validate=False)
    gappy = -1 in codes and missing == "error"
    with pytest.raises(ValueError, match="have missing values" if gappy else "holds the code 7: its"):
        Table.from_pandas(pd.DataFrame({"x": unchecked}), missing=missing)
