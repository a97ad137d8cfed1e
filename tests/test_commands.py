"""The command ``bnlab learn``: its function, and once as a process, which is interrupted."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnlab
from bnlab.__main__ import main
from bnlab.graphs import read_knowledge


def rows(n: int = 400) -> pd.DataFrame:
    """Chain a -> b -> c of text columns, a column of weights, and an identifier."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.9, a, 1 - a)
    c = np.where(rng.random(n) < 0.9, b, 1 - b)
    words = {name: np.array(["no", "yes"])[codes] for name, codes in (("a", a), ("b", b), ("c", c))}
    return pd.DataFrame({**words, "weight": rng.integers(1, 4, n), "id": np.arange(n) * 7})


Ran = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ran:
    """Exit code, output and messages of the command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def ran(*options: object) -> tuple[int, str, str]:
        capsys.readouterr()
        code = main(["learn", *map(str, options)])
        return code, *capsys.readouterr()

    return ran


def test_a_file_of_data_becomes_the_network_that_learn_and_fit_give(tmp_path: Path, command: Ran) -> None:
    frame = rows().drop(columns=["weight", "id"])
    frame.to_csv(tmp_path / "data.csv.gz", index=False)
    code, out, said = command("data.csv.gz", "-o", "net.bif", "--effort", "quick", "--time-limit", 100)
    assert (code, out) == (0, "")
    assert "data.csv.gz: 400 rows, 3 variables" in said
    assert "net.bif: 2 edges" in said
    table = bnlab.load_data(frame)
    expected = bnlab.networks.fit(bnlab.learn(table, effort="quick", time_limit=100), table)
    assert bnlab.load_network(tmp_path / "net.bif") == expected


def test_every_option_reaches_learn_and_load_data(tmp_path: Path, command: Ran) -> None:
    frame = rows()
    frame["x"] = np.random.default_rng(1).normal(size=len(frame)) + (frame["a"] == "yes") * 3
    frame.loc[:9, "b"] = "unknown"
    frame.to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "known.toml").write_text('forbidden = [["a", "b"]]\n')
    options = [
        *("--algorithm", "hill-climbing", "--score", "bdeu", "-O", "ess=4", "--max-parents", 1, "--seed", 3),
        *("--knowledge", "known.toml", "--missing", "drop", "--missing-mark", "unknown", "--discretize", "quantile"),
        *("--bins", 2, "--leave-out", "id", "--leave-out", "weight", "--pseudo-rows", 1),
    ]
    code, _, said = command("data.csv", *options, "-o", "net.xmlbif", "--progress")
    assert code == 0, said
    assert "it/s" in said or "steps" in said
    table = bnlab.load_data(
        frame.drop(columns=["id", "weight"]), missing="drop", missing_marks=["unknown"], discretize="quantile", bins=2
    )
    known = bnlab.Knowledge(forbidden=[("a", "b")])
    graph = bnlab.learn(table, "hill-climbing", score="bdeu", ess=4, max_parents=1, seed=3, knowledge=known)
    assert ("b", "a") in graph.edges
    net = bnlab.networks.fit(graph, table, bnlab.networks.Dirichlet(1))
    assert bnlab.load_network(tmp_path / "net.xmlbif") == net


def test_weights_and_a_quiet_run_that_prints_edges(tmp_path: Path, command: Ran) -> None:
    frame = rows().drop(columns="id")
    frame.to_csv(tmp_path / "data.csv", index=False)
    for algorithm in ("chow-liu", "ges"):
        code, edges, said = command("data.csv", "--weights", "weight", "--algorithm", algorithm, "--quiet")
        assert (code, said) == (0, "")
        graph = bnlab.learn(bnlab.load_data(frame, weights="weight"), algorithm)
        assert edges.splitlines() == [f"{u} - {v}" for u, v in bnlab.essential(graph).undirected_edges]


def test_the_edges_of_a_chain_have_the_directions_that_knowledge_decides(tmp_path: Path, command: Ran) -> None:
    rows().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "known.toml").write_text('tiers = [["a", "b"], ["c"]]')
    for algorithm in ("chow-liu", "ges"):
        options = ["--leave-out", "id", "--leave-out", "weight", "--algorithm", algorithm, "--knowledge", "known.toml"]
        _, edges, _ = command("data.csv", *options, "--quiet")
        assert sorted(edges.splitlines()) == ["a - b", "b -> c"]
        command("data.csv", *options, "-o", "net.bif")
        assert ("b", "c") in bnlab.load_network(tmp_path / "net.bif").dag.edges


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["nothing.csv"], 1, "there is no file 'nothing.csv'"),
        (["data.csv"], 1, "As options of this command: --discretize, --leave-out"),
        (["data.csv", "-o", "net.xdsl"], 1, "networks are written as .bif, .xmlbif"),
        (["data.csv", "-o", "no/net.bif"], 1, "there is no folder 'no'"),
        (["data.csv", "--leave-out", "ID"], 1, "--leave-out ID: no column is called so; they are a, b, c, weight, id"),
        (["data.csv", "--leave-out", "id", "--algorithm", "hill"], 1, "algorithm"),
        (["data.csv", "--leave-out", "id", "-O", "essence=4"], 1, "'essence' is no option"),
        (["data.csv", "--leave-out", "id", "--weights", "w"], 1, "weights='w': no column is called so"),
        (["data.csv", "--leave-out", "id", "--knowledge", "known.json"], 1, "'require' is no part of"),
        (["data.csv", "--leave-out", "id", "--algorithm", "hc", "--time-limit", "9"], 1, "'time_limit' is no option"),
        (["data.csv", "--time-limit", "0"], 2, "a positive number of seconds"),
        (["data.csv", "-O", "ess"], 2, "NAME=VALUE is needed"),
        (["data.csv", "--colour"], 2, "unrecognized arguments: --colour"),
    ],
)
def test_errors_are_plain_and_have_exit_codes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: Ran, options, code, message
) -> None:
    rows().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "known.json").write_text('{"require": []}')
    try:
        found, out, said = command(*options)
    except SystemExit as stopped:
        found, (out, said) = stopped.code, capsys.readouterr()
    assert (found, out) == (code, "")
    assert message in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no Ctrl-C to one process")
def test_ctrl_c_ends_the_command_without_a_file(tmp_path: Path) -> None:
    bnlab.load_network("alarm").sample(2000, seed=1).to_pandas().to_csv(tmp_path / "data.csv", index=False)
    line = [
        sys.executable,
        "-m",
        "bnlab",
        "learn",
        "data.csv",
        "--algorithm",
        "hill-climbing",
        "-O",
        "restarts=1000000",
    ]
    # A job in the background of a shell, and so its children, would otherwise not hear of Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen([*line, "-o", "net.bif"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    assert "2,000 rows" in process.stderr.readline()
    for _ in range(4):  # Python loses one that comes while it runs a destructor
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(60)
            break
    code = process.poll()
    process.kill()  # does nothing to one that has ended
    assert code == 130
    assert "interrupted; nothing was written" in process.stderr.read()
    process.stderr.close()
    assert not (tmp_path / "net.bif").exists()


def test_knowledge_is_read_from_toml_and_json(tmp_path: Path) -> None:
    parts = {
        "required": [["a", "b"]],
        "forbidden": [["c", "a"]],
        "tiers": [["a"], ["b", "c"]],
        "max_parents": {"c": 1},
        "within": [["a", "b"], ["b", "c"]],
    }
    (tmp_path / "known.json").write_text(json.dumps(parts))
    lines = [f"{name} = {json.dumps(value)}" for name, value in parts.items() if name != "max_parents"]
    (tmp_path / "known.toml").write_text("\n".join([*lines, "[max_parents]", "c = 1"]))
    known = bnlab.Knowledge([("a", "b")], [("c", "a")], [["a"], ["b", "c"]], {"c": 1}, within=[("a", "b"), ("b", "c")])
    assert read_knowledge(tmp_path / "known.json") == known == read_knowledge(str(tmp_path / "known.toml"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('required = ["a", "b"]', "required = .* a list of lists of names is needed"),
        ('required = [["a", "b", "c"]]', "known.toml: "),
        ('required = [["a", "b"]]\nforbidden = [["a", "b"]]', "required and forbidden"),
        ('require = [["a", "b"]]', "'require' is no part of background knowledge"),
        ('max_parents = "3"', "a number, or a number by name is needed"),
        ("required = [", "known.toml: "),
        ("tiers = 3", "tiers = 3: a list of lists"),
    ],
)
def test_wrong_knowledge_is_refused_with_the_name_of_the_file(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "known.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_knowledge(tmp_path / "known.toml")
