"""Commands: ``bnlab``, or ``python -m bnlab`` where scripts are not on the path, opens the notebooks in JupyterLab.

``bnlab learn`` is in `bnlab.commands`.
"""

from __future__ import annotations

import argparse
import logging
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import bnlab
from bnlab._runtime.files import replace_file
from bnlab._runtime.threads import available_cores
from bnlab.commands import add_learn, learn
from bnlab.data import Table

HERE = Path(__file__).parent
SOURCE = HERE.parent / "notebooks"
"""The notebooks of a source tree, which are opened where they are; a wheel has them inside the package."""

FOLDER = "bnlab-notebooks"
START = "index.ipynb"
"""The notebook that says what to open."""


def copy_notebooks(folder: Path) -> Path:
    """Copy the notebooks and their stored results into a folder; files that are there already stay as they are.

    Raises
    ------
    OSError
        When the folder cannot be written to.
    """
    origin = HERE / "notebooks" if (HERE / "notebooks").is_dir() else SOURCE
    for path in sorted(origin.rglob("*")):
        target = folder / path.relative_to(origin)
        if path.is_file() and ".ipynb_checkpoints" not in path.parts and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, path.read_bytes())
    return folder


def compile_kernels(part: str = "") -> int:
    """Do a little of what the notebooks do, so that the machine code of all of it is on disk.

    Processes, one per core at a time, compile the parts, because numba compiles one function at a time. They begin with
    what the tour uses: `bnlab lab` compiles while the tour is read.

    Parameters
    ----------
    part : str
        Name in `PARTS`; all of them by default.

    Returns
    -------
    int
        Exit code.
    """
    if part:
        PARTS[part]()
        return 0
    with ThreadPoolExecutor(available_cores()) as pool:
        codes = list(pool.map(lambda part: subprocess.call([sys.executable, "-m", "bnlab", "compile", part]), PARTS))
    return int(any(codes))


def _few_rows() -> Table:
    logging.getLogger("bnlab").setLevel(logging.ERROR)
    return bnlab.load_network("asia").sample(1000, seed=1)


def _compile_searches() -> None:
    """Compile the search of the tour's paper, hill climbing, and what learns from rows with missing values."""
    from bnlab.learners import paper_search
    from bnlab.scores import local_scores
    from bnlab.search import iterate

    table = _few_rows()
    for _ in islice(iterate(paper_search(local_scores(table, "k2"), len(table.names), seed=0)), 20):
        pass
    bnlab.learn(table, "hill-climbing", score="bic")
    frame = table.to_pandas()
    frame.loc[frame.index % 5 == 0, "lung"] = None
    gaps = bnlab.load_data(frame, missing="keep")
    learned = bnlab.learn(gaps, "structural-em", learner="hill-climbing")
    bnlab.networks.impute(bnlab.networks.fit(learned, gaps), gaps)


def _compile_skeletons_and_classifiers() -> None:
    """Compile scores, trees, classifiers, tests of independence and what learns by them, and the other learners."""
    from bnlab.data import MDLDiscretizer

    table = _few_rows()
    bnlab.score(bnlab.load_network("asia"), table, "bic")
    bnlab.learn(table, "chow-liu")
    fitted = bnlab.networks.fit(bnlab.learn(table), table)
    fitted.posterior({"lung": "yes"})
    fitted.marginal("lung", {"bronc": "yes"})
    frame = table.to_pandas()
    numbers = frame.apply(lambda column: column.cat.codes.astype(float))
    MDLDiscretizer().fit_transform(numbers, frame["lung"])
    for classifier in (bnlab.NaiveBayes(), bnlab.TAN(), bnlab.CkG(k=2)):
        classifier.fit(frame.drop(columns="lung"), frame["lung"]).predict(frame.drop(columns="lung"))
    bnlab.skeleton(table)
    bnlab.learn(table, "boss", restarts=1)
    bnlab.learn(table, "branching", score="k2")


def _compile_posterior() -> None:
    """Compile probabilities of edges, the other learners of skeletons, and scores of families of many cells."""
    from bnlab.scores import local_scores
    from bnlab.skeletons.skeleton import SKELETONS

    table = _few_rows()
    bnlab.edge_probabilities(table, "exact")
    bnlab.edge_probabilities(table, "mcmc", draws=10, moves=1)
    for name in SKELETONS:
        bnlab.skeleton(table, name)
    local_scores(bnlab.load_network("alarm").sample(1000, seed=1), "bic").many([(8, tuple(range(8)))])


PARTS = {
    "skeletons": _compile_skeletons_and_classifiers,
    "searches": _compile_searches,
    "posterior": _compile_posterior,
}


def open_lab(options: Sequence[str]) -> int:
    """Open JupyterLab on the start page, with the file browser on the user's folder, while another process compiles.

    Parameters
    ----------
    options : sequence of str
        For JupyterLab.

    Returns
    -------
    int
        Exit code.
    """
    if find_spec("jupyterlab") is None:
        print("JupyterLab is not installed: pip install 'bnlab[notebook]'", file=sys.stderr)
        return 1
    root, shown = (SOURCE.parent, SOURCE) if SOURCE.is_dir() else (Path.cwd(), copy_notebooks(Path(FOLDER).absolute()))
    address = f"/lab/tree/{shown.relative_to(root).as_posix()}/{START}"
    silent = subprocess.DEVNULL
    subprocess.Popen([sys.executable, "-m", "bnlab", "compile"], stdin=silent, stdout=silent, stderr=silent)
    from jupyterlab.labapp import main as lab

    as_root = ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # Windows has no such user
    return lab([f"--ServerApp.root_dir={root}", f"--LabApp.default_url={address}", *as_root, *options]) or 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command."""
    parser = argparse.ArgumentParser("bnlab", description="Learn the structure of discrete Bayesian networks.")
    parser.add_argument("--version", action="version", version=f"bnlab {bnlab.__version__}, Python {sys.version}")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("lab", help="open the notebooks in JupyterLab (the default); other options go to JupyterLab")
    tour = commands.add_parser("tour", help="copy the notebooks and their stored results into a folder")
    tour.add_argument("folder", nargs="?", type=Path, default=Path(FOLDER))
    compiled = commands.add_parser("compile", help="compile what the notebooks use now, not at its first use")
    compiled.add_argument("part", nargs="?", default="", choices=["", *PARTS], help="of it (default: all)")
    add_learn(commands)
    chosen, others = parser.parse_known_args(arguments)
    if others and chosen.command != "lab":
        parser.error(f"unrecognized arguments: {' '.join(others)}")
    if chosen.command == "tour":
        print(f"The notebooks are in {copy_notebooks(chosen.folder)}; begin with {chosen.folder / START}")
        return 0
    if chosen.command == "learn":
        return learn(chosen)
    if chosen.command == "compile":
        return compile_kernels(chosen.part)
    return open_lab(others)


if __name__ == "__main__":
    sys.exit(main())
