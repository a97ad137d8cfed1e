"""Files of states, records and networks that somebody changed: each is read as something valid, or refused in words."""

from __future__ import annotations

import gzip
import io
import json
import random
import signal
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bnlab
from bnlab.checkpoint import load_state, save_state
from bnlab.citests.g2_tester import G2Tester
from bnlab.learners import (
    BestOrderSearch,
    Bootstrap,
    HillClimbing,
    K2Search,
    MultiStartChen,
    OrderingSearch,
    ParentSetSearch,
    paper_search,
    partition_sampler,
)
from bnlab.networks import BayesianNetwork, asia, parse_bif, read_bif, simple
from bnlab.networks.io.bif_text import format_bif
from bnlab.papers.base.grid import Grid
from bnlab.papers.base.records import CHECKSUM, RecordFile, _checksum
from bnlab.scores import local_scores
from bnlab.search import Trace, run
from bnlab.skeletons.skeleton import SKELETONS
from tests.soak import times

MUTATIONS = times(100, 10_000)
BATCH = 100  # mutations of one test
MOST_BYTES = 256 << 20
STUCK_S = 120
LONGEST = 2000

Change = Callable[[random.Random, Any], Any]

VALUES = (
    None, True, False, -1, 0, 1, 7, 10**400, 1.5, -0.0, 1e308, float("nan"), float("inf"), "", "a", "add", "\0",
    "\ud800", "é" * 300, [], {}, [[]], [1, "a"], {"float": "0x1.8p+1"}, {"float": "0x1p+99999"}, {"float": "nan"},
    {"float": 1}, {"array": "a0"}, {"array": "a1"}, {"array": "content"}, {"scalar": "a0"}, {"tuple": []},
    {"list": [1]}, {"set": [1]},
    {"tuple": [{"tuple": [0]}, {"tuple": []}]}, {"frozenset": [{"tuple": [0, 1]}]}, {"dict": [["a", 1]]}, {"dict": 1},
    {"bnlab.data.variable:Variable": {"name": "a", "states": {"tuple": ["x", "y"]}}},
    {"bnlab.graphs.dag:Dag": {"names": {"tuple": ["a"]}, "parents": {"tuple": [{"tuple": [0]}]}}},
    {"bnlab.search:Event": {"iteration": 1, "kind": "add", "u": 0, "v": 1}}, {"bnlab.search:Progress": {}},
    {"bnlab.citests.ledger:Ledger": {"dict": []}}, {"bnlab.checkpoint:Path": {}}, {"os:system": {"command": "true"}},
)  # fmt: skip
ARRAYS = (
    np.zeros((0, 3)), np.zeros((8, 8)), np.zeros((8, 8), order="F"), np.zeros(1), np.array(3.0), np.array(2),
    np.zeros(3, "U0"), np.zeros((8, 8), bool), np.arange(8), np.array([np.nan, np.inf]), np.zeros(8, ">i4"),
    np.zeros(2, "M8[D]"), np.zeros(2, [("a", "i4"), ("b", "U3")]), np.full(8, -(2**63)), np.zeros((8, 1), np.uint64),
    np.zeros(100_000),
)  # fmt: skip
WORDS = (
    "{", "}", "(", ")", "[", "]", ";", ",", "|", '"', "\\", "/*", "*/", "//", "\n", "variable", "probability",
    "network", "type", "discrete", "default", "table", "property", "yes", "no", "x", "asia", "0", "1", "-1", "0.5",
    "1e-400", "1e400", "nan", "inf", "0_5", "9" * 400, "é", "\0", "\ufeff", "\u2028", '"a b"', "a" * 5000,
)  # fmt: skip


def states() -> list[Any]:
    """States and results of searches of many kinds, as they are saved."""
    table = asia().sample(200, seed=5)
    phi = local_scores(table, "k2")
    trace = Trace()
    searches = [
        HillClimbing(phi, 8, tabu=4, restarts=1),
        K2Search(phi, 8, orders=3),
        BestOrderSearch(phi, 8, restarts=2, seed=1),
        OrderingSearch(run(ParentSetSearch(phi, 8, 2)), seed=1, restarts=2),
        ParentSetSearch(phi, 8, 2),
        paper_search(phi, 8, seed=1),
        MultiStartChen(phi, 8, seed=1),
        Bootstrap(table, partial(bnlab.learn, algorithm="chow-liu"), replicates=3),
        partition_sampler(table, chains=2, draws=20, burn_in=0),
        *(entry.search(G2Tester(table)) for entry in SKELETONS.values()),
    ]
    trace.run(searches[0])
    begun = [("asia", search.step(search.init())[0]) for search in searches]
    return [*begun, trace, simple(), [1, {"a": (0.5, {2})}, np.arange(4.0)], bnlab.skeleton(table, "mmpc")]


@pytest.fixture(scope="module")
def saved_states(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    path = tmp_path_factory.mktemp("states") / "state"
    return [save_state(state, path) or path.read_bytes() for state in states()]


RECORDS = [
    *(
        {"seed": seed, "score": score, "value": 0.5 * seed, "edges": [["a", "b"]]}
        for seed in range(3)
        for score in "xy"
    ),
    {"seed": 3, "score": "é", "value": None, "edges": []},
]
CELLS = [{"seed": seed, "score": score} for seed in range(4) for score in ("x", "y", "é")]
RECORD_LINES = b"".join(
    json.dumps({**record, CHECKSUM: _checksum(record)}).encode() + b"\n" for record in RECORDS
)  # fmt: skip
NETWORKS = [format_bif(asia()).encode(), format_bif(simple()).encode(), b"\xef\xbb\xbf" + format_bif(asia()).encode()]


def changed_bytes(draw: random.Random, content: bytes) -> bytes:
    """Some bytes overwritten, cut out, put in, moved or repeated."""
    data = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 5))):
        start = draw.randrange(len(data) + 1)
        end = start + draw.choice((0, 1, 1, 1, 4, 30, 300))
        piece = draw.choice((b"", b"\0", b"\xff" * 4, draw.randbytes(3), bytes(data[start:end]) * 2, b'"', b"\n", b"9"))
        data[start:end] = piece
    return bytes(data[: draw.randrange(len(data) + 1)] if draw.random() < 0.1 else data)


def changed_json(draw: random.Random, value: Any) -> Any:
    """A value with one of the values in it replaced, left out, repeated or moved; None at times."""
    if draw.random() < 0.15 or not isinstance(value, (dict, list)) or not value:
        return draw.choice(VALUES)
    if isinstance(value, list):
        items = list(value)
        at, other = draw.randrange(len(items)), draw.randrange(len(items))
        match draw.randrange(8):
            case 0:
                del items[at]
            case 1:
                items.insert(other, items[at])
            case 2:
                items[at], items[other] = items[other], items[at]
            case _:
                items[at] = changed_json(draw, items[at])
        return items
    fields = dict(value)
    name = draw.choice(list(fields))
    match draw.randrange(10):
        case 0:
            del fields[name]
        case 1:
            fields[draw.choice(("", "a", "tuple", "float", "array", "names", "seed"))] = fields.pop(name)
        case 2:
            fields["more"] = fields[name]
        case _:
            fields[name] = changed_json(draw, fields[name])
    return fields


def changed_state(draw: random.Random, content: bytes) -> bytes:
    """A state with another content or other arrays, whole in itself; or with bytes changed."""
    if draw.random() < 0.3:
        return changed_bytes(draw, content)
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        arrays = dict(archive)
    text = json.loads(bytes(arrays.pop("content")))
    for _ in range(draw.choice((1, 1, 2))):
        if draw.random() < 0.7 or not arrays:
            text = changed_json(draw, text)
        else:
            name = draw.choice(list(arrays))
            arrays[draw.choice((name, name, name, "a99"))] = draw.choice((*ARRAYS, *arrays.values()))
    arrays["content"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
    file = io.BytesIO()
    draw.choice((np.savez, np.savez_compressed))(file, **arrays)
    return changed_bytes(draw, file.getvalue()) if draw.random() < 0.1 else file.getvalue()


def changed_records(draw: random.Random, content: bytes) -> bytes:
    """Lines of records changed with or without their checksums, or with bytes changed."""
    if draw.random() < 0.4:
        return changed_bytes(draw, content)
    lines = [json.loads(line) for line in content.splitlines()]
    for _ in range(draw.choice((1, 1, 2, 4))):
        at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        line = changed_json(draw, lines[at])
        if draw.random() < 0.6 and isinstance(line, dict):
            line.pop(CHECKSUM, None)
            line[CHECKSUM] = _checksum(line)
        match draw.randrange(6):
            case 0:
                lines[at], lines[other] = lines[other], lines[at]
            case 1:
                lines.insert(other, lines[at])
            case _:
                lines[at] = line
    end = draw.choice((b"\n", b"\n", b"\n", b"\r\n", b"\n\n", b" "))
    return b"".join(json.dumps(line).encode() + end for line in lines)


def changed_network(draw: random.Random, content: bytes) -> bytes:
    """Words of a network replaced, left out, repeated or moved; or bytes changed, at times of the packed file."""
    if draw.random() < 0.2:
        return changed_bytes(draw, gzip.compress(content, mtime=0))
    if draw.random() < 0.2:
        return changed_bytes(draw, content)
    words = content.decode().split(" ")
    for _ in range(draw.choice((1, 1, 2, 5))):
        at, other = draw.randrange(len(words)), draw.randrange(len(words))
        match draw.randrange(5):
            case 0:
                words[at], words[other] = words[other], words[at]
            case 1:
                words[at:at] = words[at : at + draw.choice((1, 5, 50))]
            case 2:
                del words[at : at + draw.choice((1, 5, 50))]
            case _:
                words[at] = draw.choice(WORDS)
    text = " ".join(words).encode(errors="surrogatepass")
    return gzip.compress(text, mtime=0) if draw.random() < 0.1 else text


def check_state(path: Path) -> None:
    """Read a state; what is read is saved, and read again as the same."""
    value = load_state(path)
    save_state(value, path)
    saved = path.read_bytes()
    save_state(load_state(path), path)
    assert path.read_bytes() == saved


def check_records(path: Path) -> None:
    """Read records; what is read is stored, and read again as the same, and a grid goes on from it."""
    records = RecordFile(path).load()
    grid = Grid(CELLS, lambda cell: {"value": 1.0}, RecordFile(path))
    assert len(run(grid)) == len(CELLS)
    assert RecordFile(path).load()[: len(records)] == records


def check_network(path: Path) -> None:
    """Read a network; its tables hold probabilities, and it is written and read again as the same."""
    net = read_bif(path)
    assert isinstance(net, BayesianNetwork)
    for cpt in net.cpts:
        assert cpt.min() >= 0
        assert np.allclose(cpt.sum(axis=-1), 1)
    assert parse_bif(format_bif(net)) == net


KINDS: dict[str, tuple[Change, Callable[[Path], None]]] = {
    "state": (changed_state, check_state),
    "records": (changed_records, check_records),
    "network": (changed_network, check_network),
}


@contextmanager
def bounded() -> Iterator[None]:
    """Fail when what is done takes two minutes or 256 MB."""

    def stuck(*_: object) -> None:
        raise TimeoutError(f"not done after {STUCK_S} s")

    before = signal.signal(signal.SIGALRM, stuck)
    signal.alarm(STUCK_S)
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("first", range(0, MUTATIONS, BATCH))
@pytest.mark.parametrize("kind", KINDS)
def test_a_changed_file_is_valid_or_refused(
    kind: str, first: int, tmp_path: Path, saved_states: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BNLAB_MEMORY", "128M")
    change, check = KINDS[kind]
    contents = {"state": saved_states, "records": [RECORD_LINES], "network": NETWORKS}[kind]
    path = tmp_path / "changed"
    refused = 0
    for number in range(first, first + BATCH):
        draw = random.Random(f"{kind} {number}")
        path.write_bytes(change(draw, draw.choice(contents)))
        try:
            with bounded():
                check(path)
        except (ValueError, TypeError) as error:
            refused += 1
            words = str(error)
            assert str(path) in words, (number, words)
            assert len(words) < LONGEST, number
            words.encode()
        except Exception as error:
            raise AssertionError(f"{kind} {number}") from error
    assert refused


@pytest.mark.parametrize("kind", KINDS)
def test_an_unchanged_file_is_valid(kind: str, tmp_path: Path, saved_states: list[bytes]) -> None:
    contents = {"state": saved_states, "records": [RECORD_LINES], "network": NETWORKS}[kind]
    for content in contents:
        (tmp_path / "file").write_bytes(content)
        KINDS[kind][1](tmp_path / "file")


def test_an_archive_whose_directory_lies_is_refused(tmp_path: Path, saved_states: list[bytes]) -> None:
    """Sizes of an archive stand in its directory, and again before each member."""
    content = bytearray(saved_states[0])
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        start = archive.start_dir
    for at in range(start, len(content), times(5, 1)):
        for value in (0, 1, 0x7F, 0xFF):
            changed = content.copy()
            changed[at] = value
            (tmp_path / "state").write_bytes(changed)
            with bounded():
                try:
                    load_state(tmp_path / "state")
                except ValueError as error:
                    assert str(tmp_path / "state") in str(error)  # noqa: PT017
