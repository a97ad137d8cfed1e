"""The command line, as it is typed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from urllib.request import urlopen

import nbformat
import pytest
from nbclient import NotebookClient

import bnlab
from bnlab.__main__ import FOLDER, START, copy_notebooks, main
from tools.lab import free_port

ROOT = Path(__file__).parent.parent


def test_the_notebooks_are_copied_with_their_results_and_never_over_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    assert main(["tour", str(folder)]) == 0
    assert str(folder / START) in capsys.readouterr().out
    names = {path.relative_to(ROOT / "notebooks") for path in (ROOT / "notebooks").rglob("*") if path.is_file()}
    names = {name for name in names if ".ipynb_checkpoints" not in name.parts}
    assert {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()} == names
    (folder / START).write_text("edited")
    copy_notebooks(folder)
    assert (folder / START).read_text() == "edited"


def test_unknown_options_are_refused_unless_they_are_for_jupyterlab(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["tour", "--no-browser"])
    assert "unrecognized arguments: --no-browser" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--version"])
    assert bnlab.__version__ in capsys.readouterr().out


def test_without_jupyterlab_the_command_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bnlab.__main__.find_spec", lambda name: None)
    assert main([]) == 1
    assert "pip install 'bnlab[notebook]'" in capsys.readouterr().err


def test_from_a_source_tree_jupyterlab_is_asked_for_its_start_page_and_all_its_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", SimpleNamespace(main=asked.append))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: None)  # which compiles
    assert main(["lab", "--no-browser"]) == 0
    (options,) = asked
    assert f"--ServerApp.root_dir={ROOT}" in options
    assert f"--LabApp.default_url=/lab/tree/notebooks/{START}" in options
    assert options[-1] == "--no-browser"


def test_jupyterlab_opens_on_the_start_page_with_the_files_of_the_folder_around_it(tmp_path: Path) -> None:
    library, hidden = tmp_path / "library", shutil.ignore_patterns(".ipynb_checkpoints")
    shutil.copytree(ROOT / "bnlab", library / "bnlab", ignore=hidden)  # as a wheel lays it out, with compiled code
    shutil.copytree(ROOT / "notebooks", library / "bnlab" / "notebooks", ignore=hidden)
    port = free_port()
    options = ["--no-browser", "--IdentityProvider.token=", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"]
    private = {name: str(tmp_path / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}
    environment = {**os.environ, **private, "PYTHONPATH": str(library)}
    command = [sys.executable, "-m", "bnlab", "lab", *options]
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=tmp_path, env=environment, stdout=log, stderr=log, start_new_session=True
        )
    try:
        with urlopen(answering(f"http://127.0.0.1:{port}/", server)) as page:
            assert page.url.endswith(f"/lab/tree/{FOLDER}/{START}")
        with urlopen(f"http://127.0.0.1:{port}/api/contents/") as listing:
            names = {item["name"] for item in json.load(listing)["content"]}
        shown = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")} - {"__pycache__"}
        assert names - {"__pycache__"} == shown  # which versions of JupyterLab show or not
        with urlopen(f"http://127.0.0.1:{port}/api/contents/{FOLDER}/{START}?content=0") as notebook:
            assert json.load(notebook)["type"] == "notebook"
    finally:
        end_with_children(server)


def end_with_children(server: subprocess.Popen[bytes]) -> None:
    """End JupyterLab and the processes that compile beside it, which would go on for a minute."""
    if hasattr(os, "killpg"):
        os.killpg(server.pid, signal.SIGTERM)
    else:
        server.terminate()
    try:
        server.wait(60)
    finally:
        server.kill()


def answering(url: str, server: subprocess.Popen[bytes]) -> str:
    """The address, once something listens there."""
    deadline = time.monotonic() + 500
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urlopen(f"{url}api/status").close()
            return url
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the server did not answer")


@pytest.mark.slow
@pytest.mark.timeout(1100)  # the compilation of all compiled code, and three notebooks
def test_once_all_is_compiled_the_notebooks_compile_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("BNLAB_NIGHTLY", raising=False)
    subprocess.run([sys.executable, "-m", "bnlab", "compile"], check=True)
    compiled = machine_code(tmp_path)
    assert compiled
    for name in ("00_tour.ipynb", "matuszak2012_chen.ipynb", "missing_values.ipynb"):
        notebook = nbformat.read(ROOT / "notebooks" / name, 4)
        notebook.cells = [cell for cell in notebook.cells if "nightly" not in cell.metadata.get("tags", [])]
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(ROOT / "notebooks")}}).execute()
        assert machine_code(tmp_path) == compiled, name


def machine_code(folder: Path) -> set[str]:
    """Files of numba's cache, named after their kernels."""
    return {path.name for path in folder.rglob("*.nbc")}
