"""Importing is light: nothing heavy comes with the library or its first names; computing needs nothing that shows."""

from __future__ import annotations

import json
import pkgutil
import subprocess
import sys
from importlib import import_module

import pytest

HEAVY = {
    *("anywidget", "dask", "IPython", "ipywidgets", "matplotlib", "networkx", "numba", "plotly"),
    *("pooch", "pyarrow", "sklearn"),
}
COMPUTE_WITHOUT_DISPLAY = """
import importlib, pkgutil, sys
for name in ("plotly", "ipywidgets", "anywidget", "IPython", "tqdm", "matplotlib", "dask"):
    assert name not in sys.modules
    sys.modules[name] = None  # from now on an import of it fails
walked = pkgutil.walk_packages(bnlab.__path__, "bnlab.", onerror=lambda name: None)
names = [m.name for m in walked if m.name.split(".")[1] not in ("figures", "papers", "widgets")]
assert len(names) > 10
for name in names:
    importlib.import_module(name)
"""

# What a script needs to read data and score a graph; learners and classifiers stand on compiled code and scikit-learn.
FRONT_DOOR = "from bnlab import Dag, Table, compare, load_data, load_frame, load_network, score"
STEPS = {
    "numpy": "import numpy",
    "bnlab": "import bnlab",
    "data, networks, scores": "import bnlab.data, bnlab.networks, bnlab.scores",
    "citests, skeletons": "import bnlab.citests, bnlab.skeletons; bnlab.skeleton",
    "pandas": "import pandas",
    "front door": f"{FRONT_DOOR}; from bnlab.data import mdl_cuts; mdl_cuts([1, 2], [0, 1])",
    "all that computes": COMPUTE_WITHOUT_DISPLAY,
}
"""What a script may do, the light steps first: each loads nothing heavy that the next may bring."""
DRAWS = {
    "graph": "from bnlab.widgets import NetworkGraph; import bnlab; NetworkGraph(bnlab.Dag('AB', [(), (0,)]))",
    "network": "NetworkGraph(bnlab.load_network('asia'))",
}


def loaded_by(steps: dict[str, str]) -> dict[str, set[str]]:
    """Packages that each step loads in a process that has done those before it."""
    lines = ["import json, sys", "before, new = set(), []"]
    for step in steps.values():
        lines += [step, "now = {name.split('.')[0] for name in sys.modules}", "new.append(sorted(now - before))"]
        lines.append("before |= now")
    code = "\n".join([*lines, "print(json.dumps(new))"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(zip(steps, map(set, json.loads(done.stdout)), strict=True))


@pytest.fixture(scope="module")
def loaded() -> dict[str, set[str]]:
    return loaded_by(STEPS)


def test_importing_the_library_loads_nothing_but_the_standard_library_and_numpy(loaded: dict[str, set[str]]) -> None:
    assert loaded["bnlab"] - set(sys.stdlib_module_names) == {"bnlab"}


def test_data_networks_scores_and_tests_load_nothing_heavy_before_they_are_used(loaded: dict[str, set[str]]) -> None:
    assert not loaded["data, networks, scores"] & {*HEAVY, "pandas", "requests", "scipy"}
    assert "numba" not in loaded["citests, skeletons"]


def test_the_front_door_loads_nothing_heavy(loaded: dict[str, set[str]]) -> None:
    # What a plain pandas brings is pandas' choice: it takes pyarrow along where that is installed.
    assert not (loaded["citests, skeletons"] | loaded["front door"]) & HEAVY


def test_all_that_computes_loads_where_nothing_can_be_shown(loaded: dict[str, set[str]]) -> None:
    assert "numba" in loaded["all that computes"]


def test_a_graph_is_drawn_without_loading_what_other_figures_need() -> None:
    drawn = loaded_by(DRAWS)
    assert not drawn["graph"] & {"numba", "pandas", "plotly", "sklearn"}
    # The probabilities of a network are inferred by compiled code.
    assert not drawn["network"] & {"pandas", "plotly", "sklearn"}


@pytest.mark.parametrize("package", ["bnlab.figures", "bnlab.papers", "bnlab.widgets"])
def test_no_module_hides_what_its_package_gives_under_the_same_name(package: str) -> None:
    """The names are found at their first use; an import of the module before it would be in their place."""
    module = import_module(package)
    assert not {each.name for each in pkgutil.iter_modules(module.__path__)} & set(module.__all__)
