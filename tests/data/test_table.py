from __future__ import annotations

import hashlib
import pickle
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from bnlab.data import Table, Variable, concat

COLOUR = Variable("colour", ("red", "green", "blue"))
SIZE = Variable("size", ("small", "large"))
CODE = Variable("code", tuple(range(1000)))


@pytest.fixture
def table() -> Table:
    return Table([COLOUR, CODE, SIZE], [[0, 2, 1, 0], [999, 0, 1, 2], [1, 0, 0, 1]], target="size")


def test_shape_names_and_arities(table: Table) -> None:
    assert (table.n_rows, len(table), table.n_variables) == (4, 4, 3)
    assert table.names == ("colour", "code", "size")
    assert table.arities == (3, 1000, 2)
    assert table.variables == (COLOUR, CODE, SIZE)
    assert table.target == "size"


@pytest.mark.parametrize(("arity", "dtype"), [(1, "u1"), (256, "u1"), (257, "u2"), (65_536, "u2"), (65_537, "u4")])
def test_a_column_has_the_smallest_dtype_that_holds_its_codes(arity: int, dtype: str) -> None:
    column = Table([Variable("x", tuple(range(arity)))], [[arity - 1]]).column(0)
    assert column.dtype == np.dtype(dtype)
    assert column.tolist() == [arity - 1]


def test_columns_are_found_by_position_and_name(table: Table) -> None:
    assert table.column("code").tolist() == table.column(1).tolist() == [999, 0, 1, 2]
    assert table.index("size") == 2


def test_columns_are_rows_of_contiguous_blocks_by_dtype(table: Table) -> None:
    blocks = table.blocks()
    assert [(indices.tolist(), block.dtype.name) for indices, block in blocks] == [([0, 2], "uint8"), ([1], "uint16")]
    assert all(block.flags.c_contiguous for _, block in blocks)
    assert np.shares_memory(table.column("size"), blocks[0][1])


def test_nothing_can_be_written(table: Table) -> None:
    copies = [table, table.take([1, 0]), table.select(["size"]), pickle.loads(pickle.dumps(table))]
    for part in copies:
        for array in [part.column(0), *(a for block in part.blocks() for a in block)]:
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


def test_the_codes_given_are_copied() -> None:
    codes = np.zeros(3, dtype=np.uint8)
    table = Table([SIZE], [codes])
    codes[0] = 1
    assert table.column(0).tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("variables", "columns", "error", "message"),
    [
        ([], [], ValueError, "no columns"),
        ([SIZE], [[]], ValueError, "no rows"),
        ([SIZE], [[0], [1]], ValueError, "2 columns for 1 variables"),
        ([SIZE, SIZE], [[0], [1]], ValueError, "two variables are called 'size'"),
        ([SIZE, COLOUR], [[0, 1], [1]], ValueError, "column 'colour' has 1 rows and column 'size' has 2"),
        ([SIZE], [[0, 2]], ValueError, r"'size' holds the code 2: its 2 states have the codes 0 to 1"),
        ([SIZE], [[0, -1]], ValueError, "'size' holds the code -1"),
        ([SIZE], [[0.0, 1.0]], TypeError, "of dtype float64: codes are integers"),
        ([SIZE], [[[0], [1]]], ValueError, "2 dimensions"),
    ],
)
def test_impossible_tables_are_refused(
    variables: list[Variable], columns: list[object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Table(variables, columns)  # type: ignore[arg-type]


@pytest.mark.parametrize("arity", [1, 2, 100, 128, 129, 200, 256, 40_000])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", ">i2", "<i4", "i8", "u8"])
def test_codes_of_any_dtype_and_layout_are_checked(dtype: str, arity: int) -> None:
    variable, limits = Variable("v", tuple(range(arity))), np.iinfo(dtype)
    right = sorted({0, min(arity - 1, limits.max)})
    wrong = [code for code in (-1, -100, limits.min, arity, limits.max) if limits.min <= code <= limits.max]
    for code in {int(code) for code in wrong if not 0 <= code < arity}:
        column = np.array([*right, code], dtype).repeat(2)[::2]
        with pytest.raises(ValueError, match=f"'v' holds the code {code}:"):
            Table([variable], [column])
    given = np.array(right, dtype).repeat(2)[::2]
    np.testing.assert_array_equal(Table([variable], [given]).column("v"), right)


def test_an_unknown_variable_offers_near_names(table: Table) -> None:
    for ask in (table.index, table.column, table.with_target, lambda name: table.select([name])):
        with pytest.raises(ValueError, match=r"no variable is called 'colr': did you mean 'colour'"):
            ask("colr")
    with pytest.raises(ValueError, match="no variable is called 'x'"):
        Table([SIZE], [[0]], target="x")


@pytest.mark.parametrize("rows", [[2, 0, 2], np.array([2, 0, 2], dtype=np.uint8), (2, 0, 2)])
def test_take_follows_positions(table: Table, rows: object) -> None:
    taken = table.take(rows)  # type: ignore[arg-type]
    assert [taken.column(i).tolist() for i in range(3)] == [[1, 0, 1], [1, 999, 1], [0, 1, 0]]
    assert taken.variables == table.variables
    assert taken.target == "size"
    assert all(block.flags.c_contiguous for _, block in taken.blocks())


def test_take_follows_masks_and_slices(table: Table) -> None:
    by_mask = table.take(table.column("size") == 1)
    assert by_mask.equals(table.take([0, 3]))
    assert table.take(slice(None, None, -1)).equals(table.take([3, 2, 1, 0]))
    assert table.take(range(3, 0, -2)).equals(table.take([3, 1]))
    assert table.head(2).equals(table.take([0, 1]))
    assert table.head(99).equals(table)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([], ValueError, "no rows"),
        ([True, False], ValueError, r"mask of shape \(2,\) for 4 rows"),
        ([0.5], TypeError, "positions are integers"),
        ([4], IndexError, "4"),
    ],
)
def test_take_refuses_what_are_no_rows(table: Table, rows: list[object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        table.take(rows)  # type: ignore[arg-type]


def test_select_orders_columns_and_keeps_the_target_if_it_is_there(table: Table) -> None:
    assert table.select(["size", "colour"]).names == ("size", "colour")
    assert table.select(["size", "colour"]).target == "size"
    assert table.select(["colour"]).target is None
    assert table.select(["code"]).column("code").tolist() == [999, 0, 1, 2]


def test_concat_stacks_rows(table: Table) -> None:
    assert concat([table.head(1), table.take([1, 2]), table.take([3])]).equals(table)


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ([], "at least one table"),
        ([Table([SIZE], [[0]]), Table([COLOUR], [[0]])], "table 1 has the variables 'colour', table 0 has others"),
        (
            [Table([SIZE], [[0]]), Table([SIZE], [[0]]), Table([Variable("size", ("large", "small"))], [[0]])],
            r"'size' has the states 'small', 'large' in table 0 and 'large', 'small' in table 2.*recoded",
        ),
    ],
)
def test_concat_refuses_other_variables(others: list[Table], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        concat(others)


def test_recoded_follows_the_new_order_of_states() -> None:
    table = Table([SIZE, COLOUR], [[0, 1, 1], [2, 0, 1]], target="size")
    new = [Variable("colour", ("blue", "black", "green", "red")), Variable("size", ("large", "small"))]
    recoded = table.recoded(new)
    assert recoded.names == ("colour", "size")
    assert recoded.column("colour").tolist() == [0, 3, 2]
    assert recoded.column("size").tolist() == [1, 0, 0]
    assert recoded.target == "size"
    assert table.recoded(new[:1]).target is None


def test_recoded_matches_text_only_where_equality_fails_and_text_is_unique() -> None:
    table = Table([Variable("x", (1, "2", 3))], [[0, 1, 2]])
    assert table.recoded([Variable("x", ("1", 2, "3", 3))]).column(0).tolist() == [0, 1, 3]
    with pytest.raises(ValueError, match=r"unknown states '7'"):
        Table([Variable("x", ("7",))], [[0]]).recoded([Variable("x", (7, 7.5, Other("7")))])


class Other(str):
    """Text that equals nothing but itself."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def test_recoded_needs_a_match_only_for_states_that_rows_show() -> None:
    table = Table([COLOUR], [[0, 0, 2]])
    assert table.recoded([Variable("colour", ("blue", "red"))]).column(0).tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match=r"'colour': rows show the unknown states 'blue'; known states are 'red'"):
        table.recoded([Variable("colour", ("red",))])


def test_recoded_wants_every_variable(table: Table) -> None:
    with pytest.raises(ValueError, match="no variable is called 'weight'"):
        table.recoded([Variable("weight", ("low",))])


def test_from_codes_takes_rows_of_an_array_or_a_list_of_columns(table: Table) -> None:
    array = np.array([[0, 999, 1], [2, 0, 0], [1, 1, 0], [0, 2, 1]])
    assert Table.from_codes(array, table.variables, target="size").equals(table)
    assert Table.from_codes(list(array.T), table.variables, target="size").equals(table)
    with pytest.raises(ValueError, match=r"1 dimension\(s\): an array of shape \(N, n\)"):
        Table.from_codes(array[0], table.variables)
    with pytest.raises(TypeError, match="codes are a str"):
        Table.from_codes("0", table.variables)


def test_equality_sees_codes_states_and_target(table: Table) -> None:
    assert table.equals(pickle.loads(pickle.dumps(table)))
    assert not table.equals(table.with_target(None))
    assert not table.equals(table.take([1, 0, 2, 3]))
    assert not table.equals(table.head(3))


def test_the_fingerprint_is_of_the_content() -> None:
    table = Table([SIZE, COLOUR], [[0, 1], [2, 0]])
    same = Table([SIZE, COLOUR], [np.array([0, 1], dtype=np.int64), [2, 0]], target="size")
    assert table.fingerprint == same.fingerprint == pickle.loads(pickle.dumps(table)).fingerprint
    header = "[('size', ('small', 'large')), ('colour', ('red', 'green', 'blue'))]"
    assert table.fingerprint == hashlib.sha256(header.encode() + bytes([0, 1, 2, 0])).hexdigest()
    different = [
        Table([SIZE, COLOUR], [[1, 0], [2, 0]]),
        Table([COLOUR, SIZE], [[2, 0], [0, 1]]),
        Table([Variable("size", ("large", "small")), COLOUR], [[0, 1], [2, 0]]),
        table.take([1, 0]),
    ]
    assert len({table.fingerprint, *(other.fingerprint for other in different)}) == 5


def test_to_pandas_has_all_states_as_categories(table: Table) -> None:
    frame = table.head(1).to_pandas()
    assert frame.to_dict("list") == {"colour": ["red"], "code": [999], "size": ["large"]}
    assert frame["colour"].cat.categories.tolist() == ["red", "green", "blue"]


@pytest.mark.parametrize(
    "states",
    [("b", "a"), (2, 1), (True, False), (0, 1, "missing"), ((1, 2), (0, 3)), (0.5, 0.25), (pd.Interval(0, 1), "x")],
)
def test_pandas_and_back_is_the_same_table(states: tuple[object, ...]) -> None:
    table = Table([Variable("x", states), SIZE], [[1, 0, 1], [0, 0, 0]])  # type: ignore[arg-type]
    assert Table.from_pandas(table.to_pandas()).equals(table)


def test_the_repr_summarises() -> None:
    variables = [Variable("x", ("a",)), *(Variable(f"long name {i}", tuple(range(20))) for i in range(13))]
    text = repr(Table.from_codes(np.zeros((1234, 14), dtype=int), variables, target="x"))
    lines = text.splitlines()
    assert lines[0] == "Table: 1,234 rows, 14 variables, target 'x'"
    assert lines[1] == "  x             1 state: 'a'"
    assert lines[2] == "  long name 0   20 states: 0, 1, 2, 3, 4, 5, 6, 7, ... (20 in all)"
    assert lines[-1] == "  ... and 2 more variables"


def test_the_html_escapes_names_and_states_and_is_balanced() -> None:
    nasty = "<script>alert('x')</script>&"
    html = Table([Variable(nasty, (nasty, "b")), SIZE], [[0], [0]], target=nasty)._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3
    open_tags: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Balance().feed(html)
    assert open_tags == []


def test_the_html_of_a_wide_table_stays_short() -> None:
    wide = Table.from_codes(np.zeros((2, 500), dtype=int), [Variable(f"x{i}", ("a",)) for i in range(500)])
    assert "and 488 more variables" in wide._repr_html_()
    assert len(wide._repr_html_()) < 3000


def test_whole_floats_match_the_texts_of_integers_and_of_floats() -> None:
    floats = Table([Variable("x", (1.0, 2.0))], [[0, 1, 1]])
    for states in ((1, 2), ("1", "2"), ("1.0", "2.0")):
        other = Variable("x", states)
        assert floats.recoded([other]).column("x").tolist() == [0, 1, 1]
        assert Table([other], [[0, 1, 1]]).recoded(floats.variables).column("x").tolist() == [0, 1, 1]
        assert [other.code(state) for state in (1.0, 2.0)] == [0, 1]


def test_the_sum_of_large_weights_is_shown_in_full() -> None:
    table = Table([Variable("x", ("a", "b"))], [[0, 1]]).with_weights([1_234_567, 1])
    assert "weights that sum to 1,234,568" in repr(table)
