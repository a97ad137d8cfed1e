"""A state read from its file goes on exactly where it stopped, and a file can do nothing but hold data."""

import importlib
import json
import pickle
import pkgutil
import subprocess
import sys
import tracemalloc
import zipfile
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import bnlab
from bnlab import checkpoint
from bnlab._runtime.budget import MemoryBudget
from bnlab.checkpoint import load_state, save_state
from bnlab.citests.g2_tester import G2Tester
from bnlab.data import remove_values
from bnlab.learners import (
    BestOrderSearch,
    Bootstrap,
    CkGSearch,
    GrowingTree,
    HillClimbing,
    K2Search,
    OptimumSearch,
    OrderingSearch,
    ParentSetSearch,
    make_search,
    paper_search,
    parent_sets,
    partition_sampler,
)
from bnlab.scores import local_scores
from bnlab.search import Trace, iterate, run
from bnlab.skeletons import make_search as make_skeleton
from bnlab.skeletons.skeleton import SKELETONS
from tests.learners.small_problems import RandomScores

TABLE = bnlab.load_network("asia").sample(300, seed=5)
GAPS = remove_values(bnlab.load_network("cancer").sample(60, seed=1), 0.2, "mnar", seed=1)
PHI = local_scores(TABLE, "k2")
SEARCHES = {
    "hill climbing": lambda: HillClimbing(PHI, 8, tabu=4, restarts=1),
    "hill climbing without a table": lambda: HillClimbing(RandomScores(5, 1), 5, tabu=4, restarts=3, seed=3),
    "best order": lambda: BestOrderSearch(PHI, 8, restarts=2, seed=1),
    "K2": lambda: K2Search(PHI, 8, orders=3),
    "CkG": lambda: CkGSearch(PHI, run(GrowingTree(PHI, 8)), k=2),
    "sets of parents": lambda: ParentSetSearch(PHI, 8, 2),
    "orderings": lambda: OrderingSearch(run(ParentSetSearch(PHI, 8, 2)), seed=1, restarts=2),
    "tree": lambda: GrowingTree(PHI, 8),
    "Chen": lambda: paper_search(PHI, 8, seed=1),
    "Chen, then a climb": lambda: make_search(TABLE, "chen", Q=20, seed=1),
    "optimum by cutting planes": lambda: OptimumSearch(run(ParentSetSearch(PHI, 8, 2)), subsets=0),
    "GES": lambda: make_search(TABLE, "ges", score="bdeu"),
    "PC": lambda: make_search(TABLE, "pc"),
    "tree, then CkG": lambda: make_search(TABLE, "ckg", k=2),
    "structural EM": lambda: make_search(GAPS, "structural-em", learner="hill-climbing", draws=2, rounds=2),
    "structural EM, not at random": lambda: make_search(
        GAPS, "structural-em", learner="hill-climbing", draws=1, rounds=2, not_at_random=True
    ),
    "bootstrap": lambda: Bootstrap(TABLE, partial(bnlab.learn, algorithm="chow-liu"), replicates=3),
    "posterior": lambda: partition_sampler(TABLE, chains=2, draws=20, burn_in=20),
    **{name: partial(entry.search, G2Tester(TABLE)) for name, entry in SKELETONS.items()},
    "opthpc, order 0 first": lambda: make_skeleton(TABLE, "opthpc", zero_order_first=True, sepset="mb"),
    "opthpc without a test of few rows": lambda: make_skeleton(TABLE, "opthpc", variant="paper", unreliable="skip"),
    "mmpc of symmetric targets": lambda: make_skeleton(TABLE, "mmpc", use_symmetry=True),
}


def same(a, b):
    return pickle.dumps(a) == pickle.dumps(b) or repr(a) == repr(b)


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_goes_on_from_the_file_of_any_of_its_states(name, tmp_path, monkeypatch):
    """States are saved after the steps that follow them, which leave them as they were."""
    monkeypatch.setattr(parent_sets, "WINDOW", 7)
    search = SEARCHES[name]()
    states = [search.init(), *(state for state, _ in iterate(search))]
    save_state([states[-1], search.result(states[-1])], tmp_path / "expected")
    for at in range(0, len(states), 1 + len(states) // 6):
        save_state(states[at], tmp_path / "state")
        back, again = load_state(tmp_path / "state"), SEARCHES[name]()
        assert type(back) is type(states[at])
        rest = [back, *(state for state, _ in iterate(again, back))]
        assert len(rest) == len(states) - at
        save_state([rest[-1], again.result(rest[-1])], tmp_path / "found")
        assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def test_values_come_back_exactly(tmp_path):
    trace = Trace()
    trace.run(SEARCHES["hill climbing"]())
    values = [
        None, True, 3, 10**30, "é\n", 0.1, float("inf"), -0.0, (), [1, [2]], {(1, 2): {"a"}}, frozenset({3}),
        np.float64(0.3), np.arange(6, dtype=np.uint8).reshape(2, 3), np.empty((0, 2)),
    ]  # fmt: skip
    save_state([*values, trace], tmp_path / "state")
    *back, again = load_state(tmp_path / "state")
    for found, expected in zip(back, values, strict=True):
        assert type(found) is type(expected)
        assert same(found, expected)
    assert again.scores.tolist() == trace.scores.tolist()
    assert again.events == trace.events


def test_what_is_not_data_is_not_saved(tmp_path):
    for value in (print, object(), np.array([object()]), PHI, tmp_path):
        with pytest.raises(TypeError, match="cannot be saved"):
            save_state(value, tmp_path / "state")
    assert not list(tmp_path.iterdir())


def written(tmp_path, state):
    content = json.dumps({"format": "bnlab state 1", "state": state}).encode()
    with (tmp_path / "state").open("wb") as file:
        np.savez(file, content=np.frombuffer(content, dtype=np.uint8))
    return tmp_path / "state"


@pytest.mark.parametrize(
    "state",
    [
        {"os:system": {"command": "true"}},
        {"bnlab.checkpoint:os.system": {}},
        {"bnlab.checkpoint:import_module": {}},
        {"bnlab.checkpoint:Path": {}},
        {"bnlab.scores.phi:LocalScores": {}},
        {"learners:HillClimbingState": {"parents": 1}},
        {"learners:HillClimbingState": {"parents": 1, "score": {"float": "0x1p+0"}}},
        {"data:Variable": {"name": 1, "states": 2}},
        {"data:Variable": {"name": "a", "states": {"tuple": ["yes", "yes"]}}},
        {"data:Variable": {"name": "a", "states": {"tuple": [{"tuple": [{"list": []}]}]}}},
        {"bnlab.graphs.dag:Dag": {"names": {"tuple": ["a"]}, "parents": {"tuple": [{"tuple": [0]}]}}},
        {"bnlab.graphs.dag:Dag": {"names": {"tuple": ["a"]}, "parents": {"tuple": [{"tuple": [True]}]}}},
        {"bnlab.search:Event": {"iteration": 1, "kind": "add", "u": None, "v": 0}},
        {"bnlab.search:Event": {"iteration": 1, "kind": "add"}},
        {"bnlab.search:Trace": {"iterations": 1}},
        {"bnlab.citests.ledger:Ledger": {"list": [{"tuple": [1, 2]}]}},
        {"float": "0x1p+99999"},
        {"float": 0},
        {"tuple": "ab"},
        {"tuple": [], "list": []},
        {"array": "a7"},
        [1],
    ],
)
def test_a_file_makes_nothing_but_states(tmp_path, state):
    with pytest.raises(ValueError, match="is no whole file"):
        load_state(written(tmp_path, state))


def test_pickled_arrays_are_refused(tmp_path):
    with (tmp_path / "state").open("wb") as file:
        np.savez(file, content=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="is no whole file"):
        load_state(tmp_path / "state")


def test_a_state_needs_the_module_of_its_search(tmp_path):
    save_state(SEARCHES["hill climbing"]().init(), tmp_path / "state")
    code = f"from bnlab.checkpoint import load_state; load_state({str(tmp_path / 'state')!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "make the search that it belongs to first, from bnlab.learners" in done.stderr


def with_member(path, name, content):
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return path


def header_of(shape, dtype="<f8"):
    buffer = BytesIO()
    np.lib.format.write_array_header_1_0(buffer, {"shape": shape, "fortran_order": False, "descr": dtype})
    return buffer.getvalue()


@pytest.mark.parametrize("shape", [(1 << 40,), (1 << 20, 1 << 20), (3,), (-5,)])
def test_an_array_is_as_large_as_it_says_before_memory_is_taken(tmp_path, shape):
    save_state((), tmp_path / "state")
    path = with_member(tmp_path / "state", "a9.npy", header_of(shape) + bytes(8))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"a9\.npy does not hold"):
        load_state(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize(("member", "size"), [("a9.npy", 40 << 20), ("content.npy", 2 << 20)])
def test_a_file_that_unpacks_to_more_than_the_budget_is_refused_first(tmp_path, monkeypatch, member, size):
    monkeypatch.setenv("BNLAB_MEMORY", "32M")
    with zipfile.ZipFile(tmp_path / "state", "w"):
        pass
    path = with_member(tmp_path / "state", member, header_of((size,), "|u1") + bytes(size))
    assert path.stat().st_size < 1 << 18
    tracemalloc.start()
    with pytest.raises(MemoryBudget, match="take a smaller file"):
        load_state(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_file_that_unpacks_to_many_times_its_size_is_refused_first(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SMALL", 1 << 16)
    save_state((), tmp_path / "state")
    path = with_member(tmp_path / "state", "a0.npy", header_of((4 << 20,), "|u1") + bytes(4 << 20))
    assert path.stat().st_size < 1 << 14
    tracemalloc.start()
    with pytest.raises(ValueError, match="would unpack to") as refused:
        load_state(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert str(path) in str(refused.value)
    assert "take an older copy" in str(refused.value)
    assert peak < 1 << 20


def test_an_array_that_packs_very_well_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoint, "SMALL", 1 << 16)
    save_state(np.zeros((1000, 1000)), tmp_path / "state")
    assert (load_state(tmp_path / "state") == 0).all()


@pytest.mark.parametrize(
    ("state", "error"),
    [
        ({"list": [{"array": "a0"}, {"data:Variable": {"name": 1, "states": 2}}]}, "has name=1"),
        ({"learners:BootstrapState": {"done": 1, "arcs": {"array": "a0"}}}, "arcs=array"),
        ({"scalar": "a0"}, "a single number"),
    ],
)
def test_what_is_of_another_type_than_declared_is_named(tmp_path, state, error):
    path = with_member(written(tmp_path, state), "a0.npy", header_of((8,), "|u1") + bytes(8))
    with pytest.raises(ValueError, match=error):
        load_state(path)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["u1", "<f8", ">i4", "U3", "M8[s]", "?", "U0"])
def test_arrays_of_any_layout_come_back(tmp_path, order, dtype):
    numbers = np.arange(2_000_000 if dtype == "u1" else 6).reshape(2, -1) % 200
    array = np.asarray(numbers.astype(dtype), order=order)
    save_state(array, tmp_path / "state")
    back = load_state(tmp_path / "state")
    assert back.dtype == array.dtype
    assert back.flags.c_contiguous == array.flags.c_contiguous
    assert (back == array).all()


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_archives_as_they_are_saved_are_unpacked(tmp_path, kind):
    save_state(np.arange(5), tmp_path / "state")
    with zipfile.ZipFile(tmp_path / "state") as old, zipfile.ZipFile(tmp_path / "new", "w", kind) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    with pytest.raises(ValueError, match="packed in another way"):
        load_state(tmp_path / "new")


def test_json_within_json_without_end_is_refused(tmp_path):
    content = b"[" * 100_000
    with (tmp_path / "state").open("wb") as file:
        np.savez(file, content=np.frombuffer(content, dtype=np.uint8))
    with pytest.raises(ValueError, match="is no whole file"):
        load_state(tmp_path / "state")


def test_equal_sets_have_equal_bytes(tmp_path):
    for name, numbers in (("a", range(0, 80, 8)), ("b", range(72, -8, -8))):
        save_state(frozenset(numbers), tmp_path / name)
    assert list(frozenset(range(0, 80, 8))) != list(frozenset(range(72, -8, -8)))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert load_state(tmp_path / "a") == frozenset(range(0, 80, 8))


def test_classes_have_different_names_within_a_folder() -> None:
    named: dict[str, set[str]] = {}
    for info in pkgutil.walk_packages(bnlab.__path__, "bnlab."):
        module = importlib.import_module(info.name)
        for kind in vars(module).values():
            if isinstance(kind, type) and kind.__module__ == info.name and checkpoint._holds_data(kind):
                named.setdefault(str(checkpoint._name(kind)), set()).add(info.name)
    shared = {name: homes for name, homes in named.items() if len(homes) > 1}
    assert not {name for name in shared if not name.startswith(("widgets:", "figures:", "papers:"))}


def test_a_state_that_names_its_classes_by_module_still_opens(tmp_path: Path) -> None:
    state = {"bnlab.data.anywhere:Variable": {"name": "a", "states": {"tuple": ["no", "yes"]}}}
    path = tmp_path / "older.state"
    content = json.dumps({"format": "bnlab state 1", "state": state}).encode()
    with path.open("wb") as file:
        np.savez_compressed(file, content=np.frombuffer(content, dtype=np.uint8))
    assert load_state(path) == bnlab.Variable("a", ("no", "yes"))
