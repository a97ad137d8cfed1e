"""Mutation tests: change one operator or number of the code, and see whether the tests notice.

``python -m tools.mutants --minutes 15 --seed 0`` tries a random sample of the mutants of `PARTS` in a copy of the
package, each against the tests of its part, and writes those that live to standard output. Before that, the tests must
pass in the copy as it is. mutmut calls each function through a trampoline, which numba cannot compile; this changes the
text of the file alone.

Each run is a fork of one process that has loaded everything but the package, because loading takes longer than most
tests. It begins with the machine code of the kernels that nobody changed; `bnlab._runtime.jit` compiles the others.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = {
    "bnlab/scores": ("tests/scores",),
    "bnlab/counts": ("tests/counts", "--ignore=tests/counts/test_dask.py"),
    "bnlab/citests": ("tests/citests",),
    "bnlab/learners/compiled/hill_climbing.py": ("tests/learners/hill_climbing/test_compiled_climb.py",),
    "bnlab/learners/trees.py": (
        "tests/learners/test_trees.py",
        "tests/learners/test_knowledge.py::test_the_optimal_tree_is_the_best_of_all_forests_that_agree",
        "tests/learners/test_knowledge.py::test_a_tree_refuses_two_required_parents_of_one_variable",
    ),
    "bnlab/learners/growing_tree.py": ("tests/learners/test_growing_tree.py",),
    "bnlab/graphs/spanning_tree.py": ("tests/graphs/test_spanning_tree.py", "tests/learners/test_trees.py"),
    "bnlab/graphs/edmonds.py": ("tests/graphs/test_edmonds.py", "tests/learners/test_trees.py"),
}
LEFT_OUT = {"bnlab/counts/dask.py"}
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "*", ast.LShift: ">>",
    ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Eq: "!=", ast.NotEq: "==", ast.And: "or", ast.Or: "and", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
LOADED = ("pytest", "numpy", "scipy.stats", "pandas", "numba", "networkx", "mpmath", "sklearn.base")
SHORTEST = 30.0
"""Seconds of computing that a run may always take; else four times those of the tests on the code as it is."""
LONGEST = 900.0
"""Seconds of the clock after which a run that only waits is ended."""


@dataclass(frozen=True)
class Mutant:
    """One change of a file: `new` in place of the text from `begin` to `end`."""

    file: str
    line: int
    begin: int
    end: int
    new: str

    def text(self, source: str) -> str:
        """Text of the file with the change."""
        return source[: self.begin] + self.new + source[self.end :]


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a file: operators and comparisons turned, whole numbers one greater, conditions negated.

    Examples
    --------
    >>> [m.text("a < b + 1") for m in mutants("f", "a < b + 1")]
    ['a <= b + 1', 'a < b - 1', 'a < b + (2)']
    >>> [m.text("a: B | C = 1") for m in mutants("f", "a: B | C = 1")]
    ['a: B | C = (2)']
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()

    def at(line: int, column: int) -> int:
        return len(data[: starts[line - 1] + column].decode())

    def between(left: ast.AST, right: ast.AST, operator: ast.AST, new: str) -> Iterator[Mutant]:
        begin, end = at(left.end_lineno, left.end_col_offset), at(right.lineno, right.col_offset)
        text = source[begin:end]
        old = _TEXT[type(operator)]
        if text.count(old) == 1:
            place = begin + text.index(old)
            yield Mutant(file, left.end_lineno, place, place + len(old), new)

    for node in _computed(ast.parse(source)):
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            yield from between(node.left, node.right, node.op, _OPERATORS[type(node.op)])
        elif isinstance(node, ast.Compare) and type(node.ops[0]) in _OPERATORS:
            yield from between(node.left, node.comparators[0], node.ops[0], _OPERATORS[type(node.ops[0])])
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op, _OPERATORS[type(node.op)])
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            place = at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)
            yield Mutant(file, node.lineno, *place, f"({node.value + 1})")
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            place = at(node.test.lineno, node.test.col_offset), at(node.test.end_lineno, node.test.end_col_offset)
            yield Mutant(file, node.test.lineno, *place, f"(not ({source[place[0] : place[1]]}))")


def _computed(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a tree but those of annotations, which change no result."""
    yield tree
    for name, value in ast.iter_fields(tree):
        if name not in ("annotation", "returns"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _computed(child)


_TEXT: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def sample(seed: int, parts: list[str]) -> Iterator[tuple[Mutant, str]]:
    """All mutants with their part, in random order, the parts by turns."""
    draw, queues = random.Random(seed), []
    for part in parts:
        place = ROOT / part
        files = [place] if place.is_file() else sorted(place.glob("*.py"))
        names = [str(file.relative_to(ROOT)) for file in files]
        found = [m for name in names if name not in LEFT_OUT for m in mutants(name, (ROOT / name).read_text())]
        draw.shuffle(found)
        queues.append([(mutant, part) for mutant in found])
    for k in range(max(map(len, queues))):
        yield from (queue[k] for queue in queues if k < len(queue))


class Copy:
    """Copy of a project, in which one file at a time is changed and tests are run."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.place, self._kept, self._cache = folder / "copy", folder / "kept", folder / "numba"
        unwanted = shutil.ignore_patterns(".*", "notebooks", "__pycache__", "site", "build")
        shutil.copytree(source, self.place, ignore=unwanted)
        self._kept.mkdir()
        os.environ["NUMBA_CACHE_DIR"] = str(self._cache)
        for name in LOADED:
            importlib.import_module(name)

    def unchanged(self, tests: tuple[str, ...]) -> float:
        """Seconds of computing of the tests on the code as it is; keeps the machine code for the runs to come."""
        if self._run(tests)[0] != "lives":
            raise SystemExit(f"{' '.join(tests)}: fails although nothing was changed")
        shutil.rmtree(self._kept)
        self._cache.rename(self._kept)
        return self._run(tests)[1]

    def outcome(self, mutant: Mutant, tests: tuple[str, ...], seconds: float) -> str:
        """What the tests say of a mutant: "killed", "timeout" or "lives"."""
        place = self.place / mutant.file
        source, status = place.read_text(), place.stat()
        place.write_text(mutant.text(source))
        try:
            return self._run(tests, seconds)[0]
        finally:
            place.write_text(source)
            os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _run(self, tests: tuple[str, ...], seconds: float = LONGEST) -> tuple[str, float]:
        """Outcome, and the seconds of computing."""
        shutil.rmtree(self._cache, ignore_errors=True)
        shutil.copytree(self._kept, self._cache, copy_function=os.link)
        child = os.fork()
        if child == 0:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 1, int(seconds) + 2))
            self._test(tests)
        end, done = time.monotonic() + LONGEST, 0
        while not done:
            time.sleep(0.02)
            if time.monotonic() > end:
                os.killpg(child, signal.SIGKILL)
            done, status, used = os.wait4(child, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status)
        outcome = "lives" if code == 0 else "timeout" if code in (-signal.SIGXCPU, -signal.SIGKILL) else "killed"
        return outcome, used.ru_utime + used.ru_stime

    def _test(self, tests: tuple[str, ...]) -> None:
        """In the child: run pytest and leave with 0 when all pass."""
        import pytest

        os.chdir(self.place)
        sys.dont_write_bytecode = True
        sys.path[:] = [str(self.place), *(path for path in sys.path if path not in ("", str(ROOT)))]
        os.environ["PYTHONPATH"] = str(self.place)
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        try:
            code = int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests]))
        finally:
            os._exit(1 if sys.exc_info()[0] else code)


def ordered(mutant: Mutant, tests: tuple[str, ...]) -> tuple[str, ...]:
    """Tests of a part, those of the file itself before: a mutant that they kill costs little.

    Examples
    --------
    >>> ordered(Mutant("bnlab/scores/mit.py", 1, 0, 0, ""), ("tests/scores",))
    ('bnlab/scores/mit.py', 'tests/scores/test_mit.py', 'tests/scores')
    """
    file = Path(mutant.file)
    mirrored = f"tests/{file.parent.relative_to('bnlab')}/test_{file.stem}.py"
    return (mutant.file, *([mirrored] if (ROOT / mirrored).exists() else []), *tests)


def main() -> None:
    """Try mutants for some minutes and tell which live."""
    parser = argparse.ArgumentParser(description="Change the code one place at a time and see what the tests notice.")
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    arguments = parser.parse_args()
    tally: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(ROOT, Path(folder))
        seconds = {part: max(SHORTEST, 4 * copy.unchanged(PARTS[part])) for part in arguments.parts}
        end = time.monotonic() + 60 * arguments.minutes
        for mutant, part in sample(arguments.seed, arguments.parts):
            if time.monotonic() > end:
                break
            found = copy.outcome(mutant, ordered(mutant, PARTS[part]), seconds[part])
            tally[part, found] += 1
            if found == "lives":
                source = (ROOT / mutant.file).read_text()
                line = mutant.text(source).splitlines()[mutant.line - 1].strip()
                sys.stdout.write(f"{mutant.file}:{mutant.line}: {line}\n")
                sys.stdout.flush()
    for part in arguments.parts:
        counts = {found: tally[part, found] for found in ("killed", "timeout", "lives")}
        sys.stdout.write(f"{part}: {sum(counts.values())} tried, {counts}\n")


if __name__ == "__main__":
    main()
