"""Ctrl-C ends any operation within 0.2 s, and a search that was stopped goes on to the same end."""

from __future__ import annotations

import gc
import random
import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab._runtime.interrupts import reraise_interrupts, run_interruptible
from bnlab.analysis import Preparation, Recipe, Study, describe_columns, edge_agreement
from bnlab.checkpoint import save_state
from bnlab.citests import DSeparation
from bnlab.citests.g2_tester import G2Tester
from bnlab.counts import ChunkedSource
from bnlab.counts.information import mutual_information
from bnlab.counts.memory import MemorySource
from bnlab.data import MDLDiscretizer, Table, Variable, concat, five_fold, mdl_cuts, quantile_cuts
from bnlab.figures import NetworkScores, layered_layout, network_picture
from bnlab.figures.report import study_report
from bnlab.graphs import Dag, essential_graph
from bnlab.graphs.edmonds import maximum_arborescence
from bnlab.graphs.spanning_tree import maximum_spanning_tree
from bnlab.learners import (
    Bootstrap,
    GrowingTree,
    HillClimbing,
    K2Search,
    MultiStartChen,
    ParentSetSearch,
    paper_search,
    partition_sampler,
)
from bnlab.networks import (
    BayesianNetwork,
    JunctionTree,
    fit,
    from_networkx,
    marginal,
    parse_bif,
    tile,
    to_networkx,
)
from bnlab.networks.io.bif_text import format_bif
from bnlab.networks.io.graphml import format_graphml
from bnlab.papers.base.grid import Grid, RecordFile
from bnlab.papers.carvalho2007 import all_dags
from bnlab.scores import local_scores, multinomial_complexity
from bnlab.search import iterate, run
from bnlab.skeletons import SuperStructure, make_search
from bnlab.skeletons.skeleton import SKELETONS
from tests.soak import times

SOON = 0.2
AGAIN = 0.25  # seconds until one presses again
SLACK = 2.0  # of the bound, for machines that are busy


def random_table(n: int, n_rows: int, arity: int) -> Table:
    rng = np.random.default_rng(n)
    variables = [Variable(f"v{i}", tuple(range(arity))) for i in range(n)]
    return Table(variables, [rng.integers(0, arity, n_rows).astype(np.uint8) for _ in range(n)])


TABLE = random_table(20, 4_000, 2)
LARGE = random_table(12, 600_000, 3)
CODES = random_table(8, 600_000, 40)


class Stopped:
    """Seconds of this process and of the clock between Ctrl-C and the end of what ran.

    A thread that is left behind adds to the first, other processes to the second.
    """

    cpu = wall = float("nan")

    @property
    def seconds(self) -> float:
        """Less of both."""
        return min(self.cpu, self.wall)


def ctrl_c(work: Callable[[], Any], after: float) -> Stopped:
    """Do the work and press Ctrl-C, so many seconds after it begins, until it is heard.

    Python drops what is raised in a callback of a weak reference, such as that of a pool of threads which goes.
    """
    stopped, sent = Stopped(), []
    before = signal.getsignal(signal.SIGINT)
    callbacks, gc.callbacks[:] = gc.callbacks[:], []  # Python drops what is raised in one, and hypothesis has one

    heard_it = threading.Event()

    def handle(*_: object) -> None:
        raise KeyboardInterrupt

    def press() -> None:
        time.sleep(after)
        sent.append((time.process_time(), time.perf_counter()))
        while not heard_it.is_set():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            heard_it.wait(AGAIN)

    thread = threading.Thread(target=press)
    signal.signal(signal.SIGINT, handle)
    try:
        thread.start()
        work()
        while thread.is_alive():  # the work is done, and the signal still to come
            time.sleep(0.01)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, lambda *_: None)
        stopped.cpu, stopped.wall = time.process_time() - sent[0][0], time.perf_counter() - sent[0][1]
    finally:
        signal.signal(signal.SIGINT, lambda *_: None)
        heard_it.set()
        thread.join()
        signal.signal(signal.SIGINT, before)
        gc.callbacks[:] = callbacks
    return stopped


def again_and_again(work: Callable[[], Any]) -> None:
    while True:
        work()


LARGE_FRAME = pd.DataFrame(
    {f"c{i}": np.array(["a", "b", "c"], object)[np.random.default_rng(i).integers(0, 3, 400_000)] for i in range(8)}
)
FLOATS = pd.DataFrame({f"x{i}": np.random.default_rng(i).random(60_000) for i in range(6)}).assign(
    label=[0, 1] * 30_000
)
NET = bnlab.load_network("asia")
CHAIN = [(f"v{i}", f"v{i + 1}") for i in range(11)]
FITTED = fit(CHAIN, LARGE)
TILES = tile(NET, 120, seed=1)
WEIGHTS = np.random.default_rng(0).random((1500, 1500))
LONG_CHAIN = BayesianNetwork(
    Dag([f"v{i}" for i in range(20_000)], [(i - 1,) if i else () for i in range(20_000)]),
    [Variable(f"v{i}", (0, 1)) for i in range(20_000)],
    [[0.5, 0.5], *[[[0.9, 0.1], [0.2, 0.8]]] * 19_999],
)
TANGLE = Dag(
    [f"v{i}" for i in range(240)],
    [set(np.random.default_rng(i).integers(0, i, min(i, 2)).tolist()) if i else () for i in range(240)],
)
ROWS = np.column_stack([CODES.column(i) for i in range(1, 8)])[:100_000]
CLASSIFIER = bnlab.TAN().fit(ROWS, CODES.column(0)[:100_000] % 3)
TRAINING = {"fit": (ROWS, CODES.column(0)[:100_000] % 3), "predict": (ROWS,), "predict_proba": (ROWS,)}
MANY_NUMBERS = np.random.default_rng(0).random(2_000_000)
NUMBERS = FLOATS.drop(columns="label")
GAPS = pd.DataFrame({f"c{i}": [f"state {k % 500}" if k % 7 else None for k in range(100_000)] for i in range(4)})
CHUNKS = [LARGE.take(slice(begin, begin + 50_000)) for begin in range(0, 600_000, 50_000)]
STUDY = Study(preparation=Preparation.suggested(FLOATS)).with_result("a", Recipe("chow-liu"), Dag.empty(FLOATS.columns))
CUT = np.random.default_rng(0).random(200_000), np.random.default_rng(1).integers(0, 3, 200_000)

OPERATIONS: dict[str, Callable[[], Any]] = {
    "counts": lambda: MemorySource(LARGE).count([(0, (1, 2)), (3, (4,)), (5, (6, 7, 8))]),
    "all pairs": lambda: bnlab.learn(MemorySource(LARGE), "chow-liu"),
    "joint tables": partial(MemorySource(TABLE).joint, (0, 1, 2)),
    "sparse counts": lambda: MemorySource(CODES).count([(0, (1, 2, 3, 4))]),
    "large histograms": lambda: MemorySource(CODES).count([(a, (b,)) for a in range(8) for b in range(8) if a != b]),
    **{
        f"learn {name}": partial(lambda name: bnlab.learn(MemorySource(TABLE), name), name)
        for name in ("branching", "ckg", "ordering-search", "k2", "hill-climbing", "chen")
    },
    "learn on many rows": lambda: bnlab.learn(MemorySource(LARGE), "hill-climbing"),
    **{
        f"skeleton {name}": partial(lambda name: bnlab.skeleton(MemorySource(TABLE), name, alpha=0.5), name)
        for name in SKELETONS
    },
    "score": lambda: bnlab.score([("v0", "v1")], MemorySource(LARGE), "nml"),
    "mutual information": lambda: mutual_information(MemorySource(LARGE)),
    "fit": lambda: fit(CHAIN, MemorySource(LARGE)),
    "likelihood of rows": lambda: FITTED.log_likelihood(LARGE),
    "marginal": lambda: marginal(FITTED, LARGE.names[:11]),
    "marginal of a chain": lambda: marginal(LONG_CHAIN, "v19999"),
    "tiles": lambda: tile(NET, 1000, seed=1),
    "complexity": lambda: multinomial_complexity(10**6, 10**9),
    "junction tree": lambda: JunctionTree(TILES).posterior({}),
    "arborescence": lambda: maximum_arborescence(WEIGHTS),
    "spanning tree": lambda: maximum_spanning_tree(WEIGHTS + WEIGHTS.T),
    "essential graph": lambda: essential_graph(TILES.dag),
    "layout": lambda: layered_layout(TANGLE),
    "bif": lambda: parse_bif(format_bif(TILES)),
    **{
        f"{name} of a classifier": partial(lambda name: getattr(CLASSIFIER, name)(*TRAINING[name]), name)
        for name in ("fit", "predict", "predict_proba")
    },
    "cuts": lambda: mdl_cuts(*CUT),
    "quantiles": lambda: quantile_cuts(MANY_NUMBERS, 9),
    "folds": lambda: five_fold(600_000, 1, LARGE.column(0)),
    "recoded": lambda: LARGE.recoded([Variable(v.name, v.states[::-1]) for v in LARGE.variables]),
    "concat": lambda: concat([LARGE] * 3),
    "describe": lambda: describe_columns(LARGE_FRAME),
    "sample": lambda: NET.sample(2_000_000, seed=1),
    "take": lambda: LARGE.take(np.arange(LARGE.n_rows)[::-1]),
    "read a frame": lambda: bnlab.load_data(LARGE_FRAME),
    "discretize": lambda: bnlab.load_data(FLOATS, discretize="mdl", target="label"),
    "to pandas": LARGE.to_pandas,
    "names with gaps": lambda: bnlab.load_data(GAPS, missing="state"),
    "discretize by quantiles": lambda: bnlab.load_data(FLOATS, discretize="quantile", bins=5),
    "discretize in a pipeline": lambda: MDLDiscretizer().fit(NUMBERS, FLOATS["label"]).transform(NUMBERS),
    "preparation": lambda: Preparation.suggested(FLOATS),
    "naive Bayes": lambda: bnlab.NaiveBayes().fit(*TRAINING["fit"]).predict_proba(ROWS),
    "C2G": lambda: bnlab.CkG().fit(*TRAINING["fit"]).predict_proba(ROWS),
    "chunks": lambda: bnlab.learn(ChunkedSource(lambda: CHUNKS), "hill-climbing"),
    "posterior": lambda: JunctionTree(TILES).posterior({TILES.names[0]: TILES.variables[0].states[0]}),
    "strengths": lambda: [G2Tester(TABLE).strength(x, y, (0,)) for x in range(1, 20) for y in range(1, 20) if x != y],
    "oracle": lambda: run(make_search(DSeparation(Dag(TANGLE.names[:12], TANGLE.parents[:12])), "mmpc")),
    "scores of networks": lambda: NetworkScores(LARGE, {"a": FITTED.dag, "b": Dag.empty(LARGE.names)}).totals(),
    "comparison": lambda: edge_agreement({"a": TILES.dag, "b": Dag.empty(TILES.names)}),
    "graphml": lambda: format_graphml(TILES),
    "networkx": lambda: from_networkx(to_networkx(TILES)),
    "picture": lambda: network_picture(Dag(TANGLE.names[:60], TANGLE.parents[:60])),
    "report": lambda: study_report(STUDY, FLOATS),
    "all graphs": lambda: list(all_dags(5)),
    "bootstrap": lambda: run(Bootstrap(TABLE, partial(bnlab.learn, algorithm="hill-climbing"), replicates=1000)),
    "edge probabilities": lambda: bnlab.edge_probabilities(TABLE.select(TABLE.names[:15])),
    "edge probabilities by samples": lambda: bnlab.edge_probabilities(TABLE, "mcmc"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_ends_soon_after_ctrl_c(name: str) -> None:
    draw = random.Random(name)
    work = partial(again_and_again, OPERATIONS[name])
    ctrl_c(work, after=0.2)  # what runs for the first time is compiled
    for _ in range(times(1, 3)):
        stopped = ctrl_c(work, after=draw.uniform(0.0, 0.15))
        assert stopped.seconds < SLACK * SOON


def test_reading_a_text_file_ends_soon_after_ctrl_c(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n" + "yes,no,maybe\n" * 300_000)
    for after in (0.01, 0.1, 0.2):
        stopped = ctrl_c(partial(again_and_again, partial(bnlab.load_data, path)), after)
        assert stopped.seconds < SLACK * SOON


PHI = local_scores(TABLE, "k2")
SEARCHES = {
    "hill climbing": HillClimbing(PHI, 20, tabu=4, restarts=1),
    "K2": K2Search(PHI, 20, orders=30),
    "sets of parents": ParentSetSearch(PHI, 20, 2),
    "tree": GrowingTree(PHI, 20),
    "Chen": paper_search(PHI, 20, seed=1, max_iterations=20_000),
    "team": MultiStartChen(PHI, 8, seed=1),
    "bootstrap": Bootstrap(TABLE, partial(bnlab.learn, algorithm="chow-liu"), replicates=10),
    "posterior": partition_sampler(TABLE, chains=2, draws=25),
    **{name: entry.search(G2Tester(TABLE, 0.5)) for name, entry in SKELETONS.items()},
}


@pytest.mark.parametrize("name", SEARCHES)
def test_a_search_stopped_within_a_step_goes_on_to_the_same_end(name: str, tmp_path: Path) -> None:
    search = SEARCHES[name]
    expected = run(search)
    state, after, stops = search.init(), 0.0002, 0

    def go_on() -> None:
        nonlocal state
        for reached, _ in iterate(search, state):
            state = reached

    while not search.is_done(state):
        before = state
        stopped = ctrl_c(go_on, after)
        assert stopped.seconds < SLACK * SOON
        stops += 1
        after = after * 2 if state is before else after * 1.2
    assert stops > 0
    found = search.result(state)
    if isinstance(found, SuperStructure):  # what is noted of pairs may be in another order
        assert found == expected
        return
    save_state([expected], tmp_path / "expected")
    save_state([found], tmp_path / "found")
    assert (tmp_path / "found").read_bytes() == (tmp_path / "expected").read_bytes()


def test_a_grid_stopped_within_a_cell_keeps_those_before(tmp_path: Path) -> None:
    cells = [{"seed": seed} for seed in range(30)]

    def evaluate(cell: dict[str, int]) -> dict[str, float]:
        time.sleep(0.003)
        return {"value": float(np.random.default_rng(cell["seed"]).random())}

    path = tmp_path / "records.jsonl"
    kept: list[dict[str, float]] = []
    while len(kept) < 3:  # a busy machine may not come so far in one go
        ctrl_c(lambda: run(Grid(cells, evaluate, RecordFile(path))), after=0.03)
        before, kept = kept, RecordFile(path).load()
        assert kept[: len(before)] == before
    table = run(Grid(cells, evaluate, RecordFile(path)))
    assert table.equals(run(Grid(cells, evaluate)))
    assert RecordFile(path).load()[: len(kept)] == kept


def test_an_interrupt_of_compiled_code_is_no_system_error() -> None:
    with pytest.raises(KeyboardInterrupt), reraise_interrupts():
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt), reraise_interrupts():
        raise RuntimeError("cannot release un-acquired lock") from KeyboardInterrupt()
    with pytest.raises(SystemError, match="another"), reraise_interrupts():
        raise SystemError("another")


def test_an_interrupt_of_one_joint_table_is_no_system_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    source = MemorySource(CODES)
    monkeypatch.setattr(source, "_count_bins", interrupted)
    with pytest.raises(KeyboardInterrupt):
        source.joint((0, 1))


@pytest.mark.parametrize(("z", "counted_by"), [((), "_g2_of_pairs"), ((2,), "_given")])
def test_an_interrupt_of_one_test_is_no_system_error(
    z: tuple[int, ...], counted_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise SystemError("returned a result with an exception set") from KeyboardInterrupt()

    tester = G2Tester(TABLE)
    monkeypatch.setattr(tester, counted_by, interrupted)
    with pytest.raises(KeyboardInterrupt):
        tester.strength(0, 1, z)


def test_what_is_heard_gives_its_result_and_its_error() -> None:
    assert run_interruptible(max, 2, 3) == 3
    with pytest.raises(ZeroDivisionError):
        run_interruptible(divmod, 1, 0)
    assert ctrl_c(lambda: run_interruptible(time.sleep, 1.0), after=0.01).wall < 0.9
