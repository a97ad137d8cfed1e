"""The wheel holds all that the library needs, and nothing else; its version comes from the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def built(source: Path, folder: Path) -> Path:
    """Wheel of a source tree, made without the network."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheel of an archive of this tree, which has no history."""
    source = tmp_path_factory.mktemp("archive") / "bnlab"
    source.mkdir()
    for name in ("bnlab", "tests", "tools", "notebooks"):
        ignored = shutil.ignore_patterns("__pycache__", "golden", ".ipynb_checkpoints")
        shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    return built(source, tmp_path_factory.mktemp("wheel"))


def test_every_file_of_the_library_is_in_the_wheel_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if not re.match(r"bnlab-[^/]*\.(dist-info|data)/", name)}
        installed = {name.partition(".data/data/")[2] for name in archive.namelist() if ".data/data/" in name}
    extension = {path for path in (ROOT / "bnlab" / "widgets" / "lab").rglob("*") if path.is_file()}
    places = {path.relative_to(ROOT / "bnlab" / "widgets" / "lab").as_posix() for path in extension}
    assert installed == {f"share/jupyter/labextensions/bnlab/{place}" for place in places}
    hidden = {"__pycache__", ".ipynb_checkpoints"}
    library = {path.relative_to(ROOT) for path in (ROOT / "bnlab").rglob("*") if path.is_file()}
    notebooks = {"bnlab" / path.relative_to(ROOT) for path in (ROOT / "notebooks").rglob("*") if path.is_file()}
    assert packed == {path.as_posix() for path in library | notebooks if not hidden & set(path.parts)}
    assert "bnlab/py.typed" in packed
    code = {Path(name).suffix for name in packed if not name.startswith("bnlab/notebooks/")}
    assert code == {".py", ".js", ".css", ".csv", ".gz", ".xz", ".json", ".typed", ""}


def test_the_licence_is_in_the_wheel_and_no_gpl_is_needed(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA"))
    assert any(name.endswith("LICENSE") for name in names)
    assert "License-Expression: BSD-3-Clause" in metadata
    assert "igraph" not in metadata


def test_an_archive_without_history_has_a_version(wheel: Path) -> None:
    assert re.match(r"bnlab-\d+\.\d+\.\d+(\.dev0)?-py3-none-any", wheel.name)


@pytest.mark.parametrize(
    ("tag", "version"), [("v3.2.1", r"3\.2\.1"), ("", r"\d+\.\d+\.\d+\.dev1")], ids=["tag", "before the first tag"]
)
def test_a_tag_is_the_version(tmp_path: Path, left_out: object, tag: str, version: str) -> None:
    if shutil.which("git") is None:
        left_out("versions from tags", "install git")
    source = tmp_path / "source"
    for folder in ("bnlab", "notebooks", "tools"):
        (source / folder).mkdir(parents=True)
    (source / "bnlab" / "__init__.py").write_text("")
    for name in ("pyproject.toml", "README.md", "LICENSE", "tools/urls.py"):
        shutil.copy(ROOT / name, source / name)
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    commands = [["init", "-q"], ["add", "."], [*who, "commit", "-qm", "All"], *([[*who, "tag", tag]] if tag else [])]
    for command in commands:
        subprocess.run(["git", *command], cwd=source, check=True)
    done = subprocess.run([sys.executable, "-m", "hatchling", "version"], cwd=source, stdout=subprocess.PIPE, text=True)
    found = done.stdout.strip()
    assert re.fullmatch(version, found)
    to_come = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["version"]["raw-options"]
    assert tag or found.startswith(f"{to_come['fallback_version'].removesuffix('.dev0')}.dev")


def test_what_is_installed_from_the_wheel_works_where_no_source_is(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = shutil.copy(ROOT / "tools" / "wheel.py", tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    command = [sys.executable, script, "--files"]  # what is compiled is tested elsewhere
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "site") in done.stdout
