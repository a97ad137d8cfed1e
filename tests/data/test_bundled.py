"""Data that come with the package: whole, unchanged, and found without a network or a data folder."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import Path

import pytest

import bnlab
from bnlab.data import catalogue
from bnlab.data.catalogue import DataUnavailable, Entry, bundled_content, entries, fetch, overview

BUNDLED = [entry for entry in entries() if entry.kind in ("uci", "network")]


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine without a data folder, with an empty cache, on which every download fails."""

    def refused(url: str, most: int) -> bytes:
        raise OSError(f"{url}: no network")

    monkeypatch.delenv("BNLAB_DATA", raising=False)
    monkeypatch.setattr(catalogue, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(catalogue, "download", refused)
    return tmp_path


@pytest.mark.parametrize("entry", BUNDLED, ids=lambda entry: entry.file)
def test_every_data_set_and_network_of_the_papers_is_bundled_unchanged(entry: Entry) -> None:
    content = bundled_content(entry.file)
    assert content is not None
    assert (hashlib.sha256(content).hexdigest(), len(content)) == (entry.sha256, entry.bytes)


def test_the_notice_attributes_every_bundled_data_set() -> None:
    notice = files("bnlab.data").joinpath("bundled", "NOTICE").read_text(encoding="utf-8")
    lines = {entry.name: f"- {entry.name}: {entry.citation}. {entry.licence}." for entry in BUNDLED}
    assert [name for name, line in lines.items() if line not in notice] == []


def test_samples_and_large_networks_are_downloaded() -> None:
    assert {entry.kind for entry in entries() if bundled_content(entry.file) is None} == {"mmhc", "large network"}
    frame = overview()
    downloaded = frame.kind.isin(["mmhc", "large network"])
    assert set(frame.loc[downloaded, "source"]) == {"download"}
    assert set(frame.loc[~downloaded, "source"]) == {"bundled"}


def test_data_and_networks_load_without_a_network(offline: Path) -> None:
    assert bnlab.load_data("letter", discretize="quantile").n_rows == 20000
    assert len(bnlab.load_network("alarm").dag) == 37
    with pytest.raises(DataUnavailable, match="Connect to the network, or set BNLAB_DATA"):
        fetch("mmhc/Pigs_graph.txt")


def test_a_name_of_a_data_set_and_of_a_large_network_is_both(offline: Path) -> None:
    assert bnlab.load_data("diabetes", discretize="quantile").n_rows == 768
    with pytest.raises(DataUnavailable, match=r"networks_large/diabetes\.bif\.gz"):
        bnlab.load_network("diabetes")


def test_a_cache_that_cannot_be_written_is_done_without(offline: Path) -> None:
    (offline / "cache").write_text("a file where the folder should be")
    path = fetch("networks/alarm.bif")
    assert path.read_bytes() == bundled_content("networks/alarm.bif")
    assert offline not in path.parents


def test_a_damaged_package_is_told_from_a_missing_file(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "bundled_content", lambda file: b"network unknown {}")
    with pytest.raises(DataUnavailable, match=r"networks/alarm\.bif in the installed package is damaged: install"):
        fetch("networks/alarm.bif")


def test_a_file_of_the_data_folder_comes_first(offline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = offline / "networks" / "cancer.bif"
    own.parent.mkdir()
    own.write_bytes(bundled_content("networks/cancer.bif") or b"")
    monkeypatch.setenv("BNLAB_DATA", str(offline))
    assert fetch("networks/cancer.bif") == own
