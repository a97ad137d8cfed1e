"""The command ``bnlab learn``: a file of data becomes a network in a file, from the shell."""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from bnlab.data.table import Table
    from bnlab.search import Search

DONE, FAILED, INTERRUPTED = 0, 1, 130
"""Exit codes; argparse exits with 2 for a wrong option."""

_Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
_ARGUMENTS = {
    **{name: f"--{name}" for name in ("missing", "discretize", "bins", "target", "weights", "interventions")},
    "missing_marks": "--missing-mark",
    "columns": "--leave-out",
    "time_limit": "--time-limit",
    "max_parents": "--max-parents",
}
_EXAMPLES = """examples:
  bnlab learn survey.csv -o network.xmlbif
  bnlab learn survey.csv -o network.bif --discretize quantile --missing drop --leave-out id
  bnlab learn survey.csv --algorithm hill-climbing --score bdeu --option ess=4 --knowledge known.toml

exit codes: 0 done; 1 data, options or files are wrong, and the message says how; 2 no such option; 130 interrupted
"""


def add_learn(commands: _Subparsers) -> None:
    """Add the parser of ``bnlab learn`` to those of the other commands."""
    parser = commands.add_parser(
        "learn",
        help="learn a network from a file of data",
        description="Learn a network from a file of data. Without -o, its edges are printed, one a line.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "data", help="a text file, a spreadsheet, Parquet and others, packed or not; or a name of bnlab.data.overview()"
    )
    add("-o", "--output", type=Path, metavar="FILE", help="network with probabilities: .xmlbif, .bifxml, .bif or .net")
    learner = parser.add_argument_group("learner, as of bnlab.learn")
    add = learner.add_argument
    add("--algorithm", metavar="NAME", help="such as boss, hill-climbing, exact, chow-liu (default: by size)")
    add("--score", metavar="NAME", help="such as bic, bdeu, aic, k2 (default: that of the learner)")
    add("--effort", metavar="NAME", help="quick, default or thorough, where no algorithm is named")
    add(
        "--time-limit", type=_seconds, metavar="SECONDS", help="of boss and exact, and by default: then the best so far"
    )
    add("--max-parents", type=int, metavar="N", help="maximum number of parents of a variable")
    add("--seed", type=int, metavar="N", help="seed of the random numbers")
    add(
        *("--option", "-O"),
        action="append",
        type=_named_value,
        default=[],
        metavar="NAME=VALUE",
        help="any other option of the learner or parameter of the score, such as ess=4; may be repeated",
    )
    add("--knowledge", type=Path, metavar="FILE", help="edges that must or may not be there: a TOML or JSON file")
    data = parser.add_argument_group("data, as of bnlab.load_data")
    add = data.add_argument
    add("--missing", metavar="HOW", help="error (default), drop, state or keep")
    add("--missing-mark", action="append", metavar="TEXT", help="a cell without a value; may be repeated")
    add("--discretize", metavar="HOW", help="quantile, width or mdl")
    add("--bins", type=int, metavar="N", help="number of intervals of quantile and width (default: 3)")
    add("--target", metavar="COLUMN", help="class column")
    add("--weights", metavar="COLUMN", help="how often each row counts")
    add("--interventions", metavar="COLUMN", help="the variables that were set in each row")
    add("--leave-out", action="append", default=[], metavar="COLUMN", help="no variable; may be repeated")
    other = parser.add_argument_group("other")
    add = other.add_argument
    add("--pseudo-rows", type=float, metavar="X", help="added to each count of the probabilities (default: 0)")
    add("--quiet", action="store_true", help="print no more than errors")
    add("--progress", action=argparse.BooleanOptionalAction, help="a progress bar (default: in a terminal)")


def learn(arguments: argparse.Namespace) -> int:
    """Carry out ``bnlab learn``.

    Returns
    -------
    int
        Exit code.
    """
    with _messages(arguments.quiet):
        try:
            _learn(arguments)
        except KeyboardInterrupt:
            print("bnlab: interrupted; nothing was written", file=sys.stderr)
            return INTERRUPTED
        except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
            text = f"{error}" or type(error).__name__
            print(f"bnlab: error: {text}{_options_in(text)}", file=sys.stderr)
            return FAILED
    return DONE


def _learn(arguments: argparse.Namespace) -> None:
    from bnlab.graphs.dag import counted
    from bnlab.graphs.equivalence import shown_graph
    from bnlab.graphs.knowledge_file import read_knowledge
    from bnlab.graphs.pdag import Pdag, as_pdag
    from bnlab.learners.learn import learned, make_search
    from bnlab.networks import Dirichlet, fit
    from bnlab.networks.io.writers import check_suffix

    begin = perf_counter()
    output: Path | None = arguments.output
    if output is not None:  # before hours of work
        check_suffix(output)
        if not output.parent.is_dir():
            raise FileNotFoundError(f"there is no folder {str(output.parent)!r} for {output.name}.")
    smoothing = None if arguments.pseudo_rows is None else Dirichlet(arguments.pseudo_rows)
    options = _given(arguments, "score", "effort", "time_limit", "max_parents", "seed") | dict(arguments.option)
    if arguments.knowledge is not None:
        options["knowledge"] = read_knowledge(arguments.knowledge)
    table = _table(arguments)
    _say(arguments, f"{arguments.data}: {counted(table.n_rows, 'row')}, {counted(len(table.names), 'variable')}")
    search = make_search(table, arguments.algorithm, **options)
    result = _result(search, arguments)
    graph = result if isinstance(result, Pdag) else learned(table, result, options.get("knowledge"))
    found = f"{counted(len(graph.edges), 'edge')} after {perf_counter() - begin:.1f} s"
    if output is None:
        _say(arguments, found)
        shown = as_pdag(shown_graph(graph))
        for parent, child in shown.directed_edges:
            print(f"{parent} -> {child}")
        for u, v in shown.undirected_edges:  # the data do not decide
            print(f"{u} - {v}")
        return
    fit(graph, table, smoothing).save(output)
    _say(arguments, f"{output}: {found}")


def _table(arguments: argparse.Namespace) -> Table:
    from bnlab.data import load_data, load_frame

    options = _given(arguments, "missing", "discretize", "bins", "target", "weights", "interventions")
    marks = arguments.missing_mark
    if not arguments.leave_out:
        return load_data(arguments.data, missing_marks=marks, **options)
    frame = load_frame(arguments.data, missing_marks=marks)
    unknown = [name for name in arguments.leave_out if name not in frame.columns]
    if unknown:
        raise ValueError(f"--leave-out {unknown[0]}: no column is called so; they are {', '.join(map(str, frame))}.")
    return load_data(frame.drop(columns=arguments.leave_out), **options)


def _given(arguments: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Those of the named options that were given."""
    return {name: value for name in names if (value := vars(arguments)[name]) is not None}


def _result(search: Search[Any, Any, Any], arguments: argparse.Namespace) -> Any:
    """Result of a search, step by step, with a progress bar."""
    from tqdm import tqdm

    from bnlab.search import Described, iterate

    hidden = arguments.quiet or arguments.progress is False
    last = search.init()
    with tqdm(disable=hidden or (None if arguments.progress is None else False), unit=" steps", leave=False) as bar:
        for state, _ in iterate(search, last):
            last = state
            work = search.snapshot(state).work if isinstance(search, Described) and not bar.disable else None
            if work is None:
                bar.update()
            else:
                bar.unit, bar.total = f" {work.unit}", work.total
                bar.update(work.done - bar.n)
    return search.result(last)


@contextmanager
def _messages(quiet: bool) -> Iterator[None]:
    """Print log messages and warnings of the library as plain lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("bnlab")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.ERROR if quiet else logging.INFO)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if quiet else "default", UserWarning)
            warnings.showwarning = _print_warning  # type: ignore[assignment]
            yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _print_warning(message: Warning | str, *_: Any) -> None:
    print(f"bnlab: warning: {message}", file=sys.stderr)


def _say(arguments: argparse.Namespace, text: str) -> None:
    if not arguments.quiet:
        print(f"bnlab: {text}", file=sys.stderr)


def _options_in(message: str) -> str:
    """How the arguments of Python that a message names are written here."""
    names = [option for argument, option in _ARGUMENTS.items() if re.search(rf"(?<!\w){re.escape(argument)}=", message)]
    return f"\nAs options of this command: {', '.join(names)}" if names else ""


def _seconds(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"{text!r}: a positive number of seconds is needed")
    return value


def _named_value(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise argparse.ArgumentTypeError(f"{text!r}: NAME=VALUE is needed, such as ess=4")
    try:
        return name.strip().replace("-", "_"), json.loads(value)
    except ValueError:
        return name.strip().replace("-", "_"), value
