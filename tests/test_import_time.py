"""Importing is light: nothing heavy comes with the library or its first names; computing needs nothing that shows."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {
    *("anywidget", "dask", "IPython", "ipywidgets", "matplotlib", "networkx", "numba", "plotly"),
    *("pooch", "pyarrow", "sklearn"),
}

# What a script needs to read data and score a graph; learners and classifiers stand on compiled code and scikit-learn.
FRONT_DOOR = "from bnlab import Dag, Table, compare, load_data, load_frame, load_network, score"
LOADED = "import json, sys; {}; print(json.dumps(sorted({{name.split('.')[0] for name in sys.modules}})))"
COMPUTE_WITHOUT_DISPLAY = """
import importlib, pkgutil, sys
for name in ("plotly", "ipywidgets", "anywidget", "IPython", "tqdm", "matplotlib", "dask"):
    sys.modules[name] = None  # from now on an import of it fails
import bnlab
walked = pkgutil.walk_packages(bnlab.__path__, "bnlab.", onerror=lambda name: None)
names = [m.name for m in walked if m.name.split(".")[1] not in ("figures", "papers", "widgets")]
for name in names:
    importlib.import_module(name)
print(len(names))
"""


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(statement: str) -> set[str]:
    return set(json.loads(run(LOADED.format(statement))))


def test_importing_the_library_loads_nothing_but_the_standard_library_and_numpy() -> None:
    new = loaded_by("import bnlab") - loaded_by("import numpy") - set(sys.stdlib_module_names)
    assert new == {"bnlab"}


def test_the_front_door_loads_nothing_heavy() -> None:
    # What a plain pandas brings is pandas' choice: it takes pyarrow along where that is installed.
    cut = "from bnlab.data import mdl_cuts; mdl_cuts([1, 2], [0, 1])"
    assert not (loaded_by(f"{FRONT_DOOR}; {cut}") & HEAVY) - loaded_by("import pandas")


def test_data_networks_scores_and_tests_load_nothing_heavy_before_they_are_used() -> None:
    light = loaded_by("import bnlab.data, bnlab.networks, bnlab.scores")
    assert not light & {*HEAVY, "pandas", "requests", "scipy"}
    assert "numba" not in loaded_by("import bnlab.citests, bnlab.skeletons, bnlab; bnlab.skeleton")


def test_a_graph_is_drawn_without_loading_what_other_figures_need() -> None:
    drawn = "from bnlab.widgets import NetworkGraph; import bnlab; NetworkGraph({})"
    assert not loaded_by(drawn.format("bnlab.Dag('AB', [(), (0,)])")) & {"numba", "pandas", "plotly", "sklearn"}
    # The probabilities of a network are inferred by compiled code.
    assert not loaded_by(drawn.format("bnlab.load_network('asia')")) & {"pandas", "plotly", "sklearn"}


def test_all_names_of_a_package_are_there_whatever_was_imported_before() -> None:
    code = """
import importlib, pkgutil
for package in ("bnlab.figures", "bnlab.papers", "bnlab.widgets"):
    it = importlib.import_module(package)
    for module in pkgutil.iter_modules(it.__path__, f"{package}."):
        importlib.import_module(module.name)
    assert set(it.__all__) <= set(dir(it)), package
    print([name for name in it.__all__ if type(getattr(it, name)) is type(it)])
"""
    assert run(code).splitlines() == ["[]", "[]", "[]"]


def test_all_that_computes_loads_where_nothing_can_be_shown() -> None:
    assert int(run(COMPUTE_WITHOUT_DISPLAY)) > 10
