from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bnlab.data import catalogue, mmhc_graph, mmhc_sample
from bnlab.data.catalogue import Entry


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An archive of the study's form, with a member whose name leads outside."""
    path = tmp_path / "mmhc" / "tiny_data.zip"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Tiny_s500_v1.txt", "0  1\n0  0\n")
        archive.writestr("Tiny_s5000_v1.txt", "0  1\n2  0\n")
        archive.writestr("Tiny_s5000_v2.txt", "1  1\n0  0")
        archive.writestr("Tiny_graph.txt", "0  1\n0  0\n")
        archive.writestr("../outside.txt", "0")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    entry = Entry(
        "mmhc", "Tiny", "mmhc/tiny_data.zip", 0, digest, "https://example.org/t.zip", None, None, None, "", ""
    )
    monkeypatch.setattr(catalogue, "entries", lambda: (entry,))
    monkeypatch.setenv("BNLAB_DATA", str(tmp_path))


@pytest.mark.usefixtures("tiny")
def test_a_sample_has_the_states_of_the_large_samples() -> None:
    table = mmhc_sample("Tiny", 500, 1)
    assert table.names == ("X1", "X2")
    assert table.arities == (3, 2)
    assert [table.column(i).tolist() for i in range(2)] == [[0, 0], [1, 0]]
    assert mmhc_sample("Tiny", 5000, 2, names=["a", "b"]).names == ("a", "b")
    assert mmhc_graph("Tiny").tolist() == [[False, True], [False, False]]


def test_nothing_is_written_beside_the_archive(tiny: None, tmp_path: Path) -> None:
    mmhc_sample("Tiny", 500, 1)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["tiny_data.zip"]
    assert not (tmp_path.parent / "outside.txt").exists()


@pytest.mark.usefixtures("tiny")
def test_what_the_study_lacks_is_said() -> None:
    with pytest.raises(ValueError, match="the study has no network 'Tinny': did you mean 'Tiny'"):
        mmhc_sample("Tinny")
    with pytest.raises(ValueError, match=r"Tiny: the study's data at hand have no 'Tiny_s1000_v1\.txt'"):
        mmhc_sample("Tiny", 1000, 1)
    with pytest.raises(ValueError, match=r"rows=700, version=1: there are samples of \(500, 1000, 5000\) rows"):
        mmhc_sample("Tiny", 700)
    with pytest.raises(ValueError, match="1 names for the 2 variables"):
        mmhc_sample("Tiny", 500, names=["a"])
    with pytest.raises(ValueError, match="HailFinder is not in the order of its samples"):
        mmhc_graph("HailFinder")


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "n", "arcs"), [("Alarm1", 37, 46), ("Child", 20, 25), ("Insurance", 27, 52), ("Child10", 200, 257)]
)
def test_samples_and_graphs_of_the_study_have_the_known_sizes(
    shared_data: object, name: str, n: int, arcs: int
) -> None:
    table = mmhc_sample(name, 5000, 4)
    graph = mmhc_graph(name)
    assert (table.n_rows, table.n_variables) == (5000, n)
    assert graph.shape == (n, n)
    assert graph.sum() == arcs
    assert not np.diagonal(graph).any()
