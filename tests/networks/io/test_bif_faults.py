"""Files that lie about their size, and files with bytes changed: a network or an error in words, at a bounded cost."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.networks import BifError, asia, parse_bif, read_bif
from bnlab.networks.io.bif_writer import format_bif
from tests.soak import times


def declared(n: int, parents_of_last: int) -> str:
    """Binary variables, the last of which has a default row for all configurations of so many parents."""
    states = [f"variable v{i} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for i in range(n)]
    roots = [f"probability ( v{i} ) {{ table 0.5, 0.5; }}\n" for i in range(n - 1)]
    given = " ".join(f"v{i}" for i in range(parents_of_last))
    return "".join([*states, *roots, f"probability ( v{n - 1} | {given} ) {{ default 0.5, 0.5; }}\n"])


@pytest.mark.parametrize(("parents", "cells"), [(22, "8388608"), (60, r"about 2\*\*61"), (4_000, r"about 2\*\*4001")])
def test_a_default_row_cannot_stand_for_more_than_memory_holds(parents: int, cells: str) -> None:
    text = declared(parents + 1, parents)
    tracemalloc.start()
    with pytest.raises(BifError, match=f"there are {cells} cells, far more than the file has numbers"):
        parse_bif(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * len(text) + (1 << 20)


def test_many_tables_of_default_rows_are_bounded_together() -> None:
    variables = "".join(f"variable v{i} {{ type discrete [ 2 ] {{ a, b }}; }}\n" for i in range(40))
    given = " ".join(f"v{i}" for i in range(20, 40))
    families = "".join(f"probability ( v{i} | {given} ) {{ default 0.5, 0.5; }}\n" for i in range(20))
    with pytest.raises(BifError, match="its default rows stand for too many"):
        parse_bif(variables + families)


def test_a_default_row_for_some_thousand_configurations_is_read() -> None:
    assert parse_bif(declared(13, 12)).cpt("v12").shape == (2,) * 13


def test_numbers_too_large_to_print_are_told_by_their_power() -> None:
    text = declared(16_001, 16_000).replace("default", "table")
    with pytest.raises(BifError, match=r"2 values where about 2\*\*16001 are needed"):
        parse_bif(text)


@pytest.mark.parametrize("piece", ["ab ", "1.5 ", "( ", '"" ', "property a; ", "/ "])
def test_reading_takes_a_small_multiple_of_the_memory_of_the_text(piece: str) -> None:
    text = declared(2, 0) + "network x { " + piece * (300_000 // len(piece))
    tracemalloc.start()
    with pytest.raises(BifError):
        parse_bif(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * len(text)


def test_a_packed_file_that_unpacks_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.bif.gz"
    path.write_bytes(gzip.compress(b" " * (64 << 20), compresslevel=1))
    tracemalloc.start()
    with pytest.raises(BifError, match="unpacks to more than 100 times its size"):
        read_bif(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


@pytest.mark.parametrize(
    "text", ["x" * 100_000, declared(1, 0) + "variable " + "y" * 100_000 + " {", "network " + '"' * 99_999]
)
def test_a_message_stays_short_whatever_the_text(text: str) -> None:
    with pytest.raises(BifError) as caught:
        parse_bif(text)
    assert len(str(caught.value)) < 1100


BYTES = format_bif(asia()).encode()


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Bytes of a network, plain or packed, with some overwritten, cut out or put in."""
    data = bytearray(gzip.compress(BYTES, mtime=0) if draw(st.booleans()) else BYTES)
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(data)))
        end = start + draw(st.sampled_from([0, 1, 1, 1, 7, 200]))
        data[start:end] = draw(st.binary(max_size=6))
    return bytes(data)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "net.bif"


@pytest.mark.filterwarnings("ignore:.* a guess from its letters")
@given(data=damaged())
@settings(max_examples=times(40, 250))
def test_a_file_with_bytes_changed_is_a_network_or_a_bif_error(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    try:
        net = read_bif(path)
    except BifError as error:
        words = str(error)
        assert str(path) in words
        assert len(words) < 1100
        return
    assert all(cpt.min() >= 0 and np.allclose(cpt.sum(axis=-1), 1) for cpt in net.cpts)
    assert parse_bif(format_bif(net)) == net
