"""Files of states and records that are damaged: each is read as something valid, or refused with a reason.

Those of networks are in tests/networks/io.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bnlab
from bnlab.checkpoint import load_state, save_state
from bnlab.learners import Bootstrap, HillClimbing, K2Search, paper_search
from bnlab.networks import asia, simple
from bnlab.papers.base.grid import Grid
from bnlab.papers.base.records import RecordFile
from bnlab.scores import local_scores
from bnlab.search import run
from tests.soak import times

LONGEST = 2000
"""Characters that an error may have."""
PIECES = st.one_of(
    st.binary(max_size=4),
    st.sampled_from([b"{", b"}", b'"', b",", b"[]", b"null", b"1e400", b"nan", b"-1", b"\\"]),
)
EDITS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0, 1, 1, 1, 4, 30, 300]), PIECES), min_size=1, max_size=3)
"""Where something is replaced, as a share of the file; how many bytes; and by what."""
CELLS = [{"seed": seed, "score": score} for seed in range(3) for score in ("x", "é")]


def edited(content: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Content with parts of it replaced."""
    data = bytearray(content)
    for share, length, piece in edits:
        start = round(share * len(data))
        data[start : start + length] = piece
    return bytes(data)


def packed_again(content: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """A state whose text has been edited, in an archive that is whole."""
    with np.load(io.BytesIO(content)) as archive:
        arrays = dict(archive)
    arrays["content"] = np.frombuffer(edited(arrays["content"].tobytes(), edits), np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def write_state(path: Path) -> None:
    """States of searches, a network and arrays."""
    table = asia().sample(200, seed=5)
    phi = local_scores(table, "k2")
    searches: list[Any] = [
        HillClimbing(phi, 8, tabu=4, restarts=1),
        K2Search(phi, 8, orders=3),
        paper_search(phi, 8, seed=1),
        Bootstrap(table, partial(bnlab.learn, algorithm="chow-liu"), replicates=3),
    ]
    begun = [search.step(search.init())[0] for search in searches]
    save_state([*begun, simple(), {"a": (0.5, {2})}, np.arange(4.0)], path)


def read_state(path: Path) -> None:
    """What is read is saved, and read again as the same."""
    save_state(load_state(path), path)
    saved = path.read_bytes()
    save_state(load_state(path), path)
    assert path.read_bytes() == saved


def write_records(path: Path) -> None:
    run(Grid(CELLS, lambda cell: {"value": 0.5 * cell["seed"], "edges": [["a", "b"]]}, RecordFile(path)))


def read_records(path: Path) -> None:
    """What is read is stored, and a grid goes on from it."""
    records = RecordFile(path).load()
    assert len(run(Grid(CELLS, lambda cell: {"value": 1.0}, RecordFile(path)))) == len(CELLS)
    assert RecordFile(path).load()[: len(records)] == records


Change = Callable[[bytes, list[tuple[float, int, bytes]]], bytes]
KINDS: dict[str, tuple[Callable[[Path], None], Change, Callable[[Path], None]]] = {
    "state": (write_state, edited, read_state),
    "text of a state": (write_state, packed_again, read_state),
    "records": (write_records, edited, read_records),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_file_is_valid_or_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", "128M")
    write, change, read = KINDS[kind]
    path = tmp_path / "file"
    write(path)
    whole = path.read_bytes()
    read(path)

    @settings(max_examples=times(30, 5_000), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(EDITS)
    def damaged(edits: list[tuple[float, int, bytes]]) -> None:
        path.write_bytes(change(whole, edits))
        try:
            read(path)
        except (ValueError, TypeError) as error:
            words = str(error)
            assert str(path) in words
            assert len(words) < LONGEST
            words.encode()

    damaged()
