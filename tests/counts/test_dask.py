"""Counts on real worker processes equal those in memory, also when a worker is killed while it counts."""

import os
import signal
import threading
from functools import partial

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster

import bnlab
from bnlab.counts.dask import DaskSource
from bnlab.counts.memory import MemorySource
from bnlab.dynamic import DaskPanel
from bnlab.learners import Bootstrap, partition_sampler
from bnlab.search import run
from tests.dynamic.panels import random_panel

FAMILIES = [(0, ()), (3, (1, 2)), (5, (2, 4)), (7, (5, 4, 2)), (2, ()), (6, (5,))]


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            local_directory=tmp_path_factory.mktemp("workers"),
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def table():
    return bnlab.load_network("asia").sample(4000, seed=1)


@pytest.fixture(scope="module")
def frame(table, tmp_path_factory):
    folder, rows = tmp_path_factory.mktemp("rows"), table.to_pandas().astype(str)
    for part in range(6):
        rows[part::6].to_parquet(folder / f"{part}.parquet")
    return dd.read_parquet(folder)


def same_counts(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a.table, b.table)
        np.testing.assert_array_equal(a.configurations, b.configurations)


@pytest.fixture(scope="module")
def in_memory(table):
    return bnlab.load_data(table.to_pandas().astype(str))


def test_workers_count_what_memory_does(client, frame, in_memory, monkeypatch):
    source = DaskSource(frame)
    assert source.variables == in_memory.variables
    assert source.n_rows == in_memory.n_rows
    same_counts(source.count(FAMILIES), MemorySource(in_memory).count(FAMILIES))
    for limit in ("CELLS", "SPARSE_FLOOR"):
        monkeypatch.setattr(f"bnlab.counts.dask.{limit}", 8)
        same_counts(source.count(FAMILIES), MemorySource(in_memory).count(FAMILIES))
    with pytest.raises(ValueError, match="its own parent"):
        source.count([(0, ()), (1, (1,))])


def test_a_pass_makes_no_task_but_asks_the_actors(client, frame):
    def begun(dask_scheduler):
        return sum(finish == "processing" for _, _, finish, *_ in dask_scheduler.transition_log)

    source = DaskSource(frame)
    source.count(FAMILIES[:1])
    tasks = client.run_on_scheduler(begun)
    assert tasks > 0
    source.count(FAMILIES)
    assert client.run_on_scheduler(begun) == tasks


def test_a_network_learned_on_the_cluster_is_the_same(client, frame, in_memory):
    for algorithm in ("hill-climbing", "chow-liu"):
        assert bnlab.learn(DaskSource(frame), algorithm) == bnlab.learn(in_memory, algorithm)
    assert bnlab.skeleton(DaskSource(frame), "opthpc").edges == bnlab.skeleton(in_memory, "opthpc").edges


def test_a_worker_killed_in_the_middle_changes_no_number(client, frame, in_memory):
    source = DaskSource(frame)
    pid = next(iter(client.run(os.getpid).values()))
    killer = threading.Thread(target=os.kill, args=(pid, signal.SIGKILL))
    for i in range(5):
        if i == 1:
            killer.start()
        same_counts(source.count(FAMILIES), MemorySource(in_memory).count(FAMILIES))
    killer.join()
    client.wait_for_workers(2)
    assert pid not in client.run(os.getpid).values()


def test_replicates_and_chains_run_on_the_cluster_as_they_do_alone(client, table):
    executor = client.get_executor()
    bootstrap = Bootstrap(table, partial(bnlab.learn, algorithm="chow-liu"), replicates=4)
    *_, (last, _) = bootstrap.run_on(executor)
    np.testing.assert_array_equal(last.arcs, run(bootstrap).arcs * 4)
    sampler = partition_sampler(table, draws=40, chains=2)
    *_, (there, _) = sampler.run_on(executor)
    np.testing.assert_array_equal(sampler.result(there).samples, run(sampler).samples)


def test_partitions_without_rows_and_of_some_states_only(client):
    frame = pd.DataFrame({"x": ["b", "b", "a", "c"], "y": [1, None, 2, 2]}).astype({"y": "Int64"})
    parts = dd.from_pandas(frame, npartitions=4, sort=False)
    source = DaskSource(parts, missing="drop")
    in_memory = bnlab.load_data(frame, missing="drop")
    assert source.variables == in_memory.variables
    same_counts(source.count([(0, (1,))]), MemorySource(in_memory).count([(0, (1,))]))
    with pytest.raises(ValueError, match="missing values"):
        DaskSource(parts)
    with pytest.raises(ValueError, match="fill the gaps"):
        DaskSource(parts, missing="state")
    with pytest.raises(ValueError, match="no rows"):
        DaskSource(parts[parts["x"] == "z"])


def test_without_a_cluster_threads_do_the_work(frame, in_memory):
    import dask

    with dask.config.set(scheduler="threads"):
        same_counts(DaskSource(frame).count(FAMILIES), MemorySource(in_memory).count(FAMILIES))


def test_workers_turn_whole_units_into_transitions(client, tmp_path):
    rows = random_panel(3, n=4, static=1, lags=2, units=60)
    frame = rows.table.to_pandas().assign(unit=[f"u{i}" for i in rows.unit_of], time=rows.times)
    for part in range(3):
        frame[frame.unit.str[-1].astype(int) % 3 == part].to_parquet(tmp_path / f"{part}.parquet")
    options = {"unit": "unit", "time": "time", "static": "s0", "lags": 2}
    panel, whole = DaskPanel(dd.read_parquet(tmp_path), **options), bnlab.load_panel(frame, **options)
    same_counts(panel.transitions.count(FAMILIES), MemorySource(whole.transitions).count(FAMILIES))
    assert bnlab.learn_dynamic(panel, "hill-climbing") == bnlab.learn_dynamic(whole, "hill-climbing")
    with pytest.raises(ValueError, match="is in two partitions"):
        DaskPanel(dd.from_pandas(frame.sort_values("time"), npartitions=3, sort=False), **options)
