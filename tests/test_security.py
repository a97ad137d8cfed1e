"""What SECURITY.md promises: no file runs code, no archive names a path, nothing is asked of the network in silence."""

from __future__ import annotations

import ast
import io
import os
import re
import socket
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import bnlab
from bnlab.data import catalogue

LIBRARY = Path(bnlab.__file__).parent
PAGES = sorted(LIBRARY.rglob("*.js"))

RUNS_CODE = {"eval", "exec", "compile", "__import__", "os.system", "os.popen", "runpy.run_path", "runpy.run_module"}
UNPICKLES = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
STARTS_PROCESSES = {"subprocess", "pty", "ctypes"}
READS_WITH_PICKLE = {"read_pickle", "fromfile"}
OPENS_CONNECTIONS = {"socket", "requests", "urllib.request", "http.client", "urllib3", "httpx", "aiohttp", "ftplib"}


def dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def faults(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What a module with these nodes does that none may; test_floors asks it of every module."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            for name in names:
                if name.split(".")[0] in UNPICKLES | STARTS_PROCESSES or name in OPENS_CONNECTIONS:
                    yield f"line {node.lineno}: import of {name}"
        if not isinstance(node, ast.Call):
            continue
        name = dotted(node.func)
        if name in RUNS_CODE or name.split(".")[-1] in READS_WITH_PICKLE:
            yield f"line {node.lineno}: {name}"
        pickles = [keyword.value for keyword in node.keywords if keyword.arg == "allow_pickle"]
        if any(not (isinstance(value, ast.Constant) and value.value is False) for value in pickles):
            yield f"line {node.lineno}: {name} with allow_pickle"
        if name in ("np.load", "numpy.load") and not pickles:
            yield f"line {node.lineno}: {name} that leaves allow_pickle open"
        if name.split(".")[-1] in ("eval", "query") and not (node.args and isinstance(node.args[0], ast.Constant)):
            yield f"line {node.lineno}: {name} of what is no constant"
        if name.split(".")[-1] in ("extractall", "extract", "unpack_archive"):
            yield f"line {node.lineno}: {name} of an archive"
        if any(keyword.arg == "shell" for keyword in node.keywords):
            yield f"line {node.lineno}: {name} with a shell"


@pytest.mark.parametrize(
    "code",
    [
        "eval(text)", "exec(text)", "import pickle", "from pickle import load", "np.load(path)", "pd.read_pickle(path)",
        "np.load(path, allow_pickle=True)", "np.load(path, allow_pickle=flag)", "archive.extractall(folder)",
        "import subprocess", "run(x, shell=True)", "import urllib.request", "os.system(x)",
        "frame.query(text)", "frame.eval(text)", "pd.eval(text)",
    ],
)  # fmt: skip
def test_each_of_these_would_be_found(code: str) -> None:
    assert list(faults(ast.walk(ast.parse(code))))


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_no_page_runs_text_or_asks_another_machine(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for forbidden in (r"\beval\(", r"new Function", r"document\.write", r"\bfetch\(", r"XMLHttpRequest", r"WebSocket"):
        assert not re.search(forbidden, text), forbidden
    addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
    names = {
        "2000/svg",
        "1999/xhtml",
        "1999/xlink",
        "1998/Math/MathML",
    }  # of languages: nothing is asked of the address
    assert addresses <= {f"http://www.w3.org/{name}" for name in names}


@pytest.mark.parametrize(
    "member", ["../../evil.data", "/tmp/evil.data", "..\\evil.data", "C:/evil.data", "a/../../tiny.data"]
)
def test_a_member_of_an_archive_names_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, member: str) -> None:
    content = b"1,2\n"
    entry = replace(
        catalogue.entries()[0],
        file="uci/tiny/tiny.data",
        url="https://example.org/tiny.zip",
        sha256=catalogue._sha256(content),
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(member, content)
    cache = tmp_path / "cache"
    monkeypatch.delenv("BNLAB_DATA", raising=False)
    monkeypatch.setattr(catalogue, "entries", lambda: (entry,))
    monkeypatch.setattr(catalogue, "cache_folder", lambda: cache)
    monkeypatch.setattr(catalogue, "download", lambda url, most: buffer.getvalue())
    try:
        assert catalogue.fetch(entry.file) == cache / entry.file
    except catalogue.DataUnavailable as error:
        assert "now serves something else" in str(error)  # noqa: PT017
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert written in ([], [cache / entry.file])
    assert not os.path.exists("/tmp/evil.data")


@pytest.mark.parametrize("file", ["../outside.bif", "/etc/hostname", "networks/../../x", "networks/alarm.bif/.."])
def test_only_files_of_the_catalogue_are_fetched(file: str) -> None:
    with pytest.raises(ValueError, match="no file of the catalogue"):
        catalogue.fetch(file)


def test_nothing_is_asked_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    data = bnlab.load_network("asia").sample(200, seed=1)
    dag = bnlab.learn(data, "hill-climbing")
    bnlab.score(dag, data, "bdeu")
    bnlab.skeleton(data, "mmpc")
    bnlab.load_data("iris-bezdek", discretize="mdl")
