"""Mutation tests: change one operator or number of the code, and see whether the tests notice.

``python -m tools.mutants --minutes 15 --seed 0`` tries a random sample of the mutants of `PARTS` in a copy of the
package, each against the tests of its part, and writes those that live to standard output. mutmut calls each function
through a trampoline, which numba cannot compile; this changes the text of the file alone.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = {
    "bnlab/scores": ["tests/scores"],
    "bnlab/counts": ["tests/counts", "--ignore=tests/counts/test_cluster.py"],
    "bnlab/citests": ["tests/citests"],
    "bnlab/learners/trees.py": ["tests/learners/test_trees.py"],
    "bnlab/learners/growing_tree.py": ["tests/learners/test_trees.py", "tests/learners/test_ckg.py"],
    "bnlab/graphs/spanning_tree.py": ["tests/graphs/test_spanning_tree.py", "tests/learners/test_trees.py"],
    "bnlab/graphs/edmonds.py": ["tests/graphs/test_edmonds.py", "tests/learners/test_trees.py"],
}
LEFT_OUT = {"bnlab/counts/cluster.py"}
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "/", ast.Mod: "*", ast.LShift: ">>",
    ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Eq: "!=", ast.NotEq: "==", ast.And: "or", ast.Or: "and", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
TIMEOUT = 240.0


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

    for node in ast.walk(ast.parse(source)):
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


_TEXT: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=", ast.And: "and", ast.Or: "or", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip


def sample(seed: int) -> Iterator[tuple[Mutant, list[str]]]:
    """All mutants with their tests, in random order, the parts by turns."""
    draw, queues = random.Random(seed), []
    for part, tests in PARTS.items():
        place = ROOT / part
        files = [place] if place.is_file() else sorted(place.glob("*.py"))
        names = [str(file.relative_to(ROOT)) for file in files]
        found = [m for name in names if name not in LEFT_OUT for m in mutants(name, (ROOT / name).read_text())]
        draw.shuffle(found)
        queues.append([(mutant, tests) for mutant in found])
    for k in range(max(map(len, queues))):
        yield from (queue[k] for queue in queues if k < len(queue))


def outcome(copy: Path, mutant: Mutant, tests: list[str]) -> str:
    """What the tests of a copy of the project say of a mutant: "killed", "timeout" or "lives"."""
    place = copy / mutant.file
    source = place.read_text()
    place.write_text(mutant.text(source))
    environment = {**os.environ, "PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(copy / ".numba")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "timeout"
    finally:
        place.write_text(source)
    return "killed" if done.returncode else "lives"


def main() -> None:
    """Try mutants for some minutes and tell which live."""
    parser = argparse.ArgumentParser(description="Change the code one place at a time and see what the tests notice.")
    parser.add_argument("--minutes", type=float, default=15.0)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    end, tally = time.monotonic() + 60 * arguments.minutes, {"killed": 0, "timeout": 0, "lives": 0}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "notebooks", "__pycache__"))
        for mutant, tests in sample(arguments.seed):
            if time.monotonic() > end:
                break
            found = outcome(copy, mutant, tests)
            tally[found] += 1
            if found == "lives":
                source = (ROOT / mutant.file).read_text()
                line = mutant.text(source).splitlines()[mutant.line - 1].strip()
                sys.stdout.write(f"{mutant.file}:{mutant.line}: {line}\n")
                sys.stdout.flush()
    sys.stdout.write(f"{tally}\n")


if __name__ == "__main__":
    main()
