"""Use an installed bnlab as a visitor would: every file that it needs at run time must be inside the package.

Run by ``make wheel`` in an environment that holds nothing else, and by a test with ``--files``: then it learns nothing.
``mypy --strict`` checks this file there: the package is marked as typed, and its names have the types asserted here.
"""

import sys
from importlib.resources import files
from typing import assert_type

import bnlab
from bnlab import widgets
from bnlab.data import catalogue
from bnlab.papers.villanueva2012 import reported


def main() -> None:
    """Learn, score, read what is packed, and make a widget; `assert_type` is for ``mypy --strict``."""
    network = assert_type(bnlab.load_network("asia"), bnlab.BayesianNetwork)
    dag = assert_type(network.dag, bnlab.Dag)
    if "--files" not in sys.argv:
        data = assert_type(network.sample(1000, seed=1), bnlab.Table)
        learned = assert_type(bnlab.learn(data, "hill-climbing"), bnlab.Dag)
        gain = assert_type(bnlab.score(learned, data, "bic") - bnlab.score(dag, data, "bic"), float)
        found = assert_type(bnlab.compare(learned, dag), bnlab.graphs.Comparison)
        assert gain >= -100
        assert assert_type(found.tp, int) > 0
        assert_type(bnlab.networks.fit(learned, data), bnlab.BayesianNetwork)
    assert len(catalogue.entries()) > 30
    assert (files(bnlab) / "notebooks" / "00_tour.ipynb").is_file()
    assert len(reported.claims()) > 5
    assert reported.alarm5k().n_rows == 5000
    panel = widgets.GraphView.from_graph(dag)
    assert "export default" in panel._modules[-1][2]
    assert len(str(panel._css)) > 100
    sys.stdout.write(f"bnlab {bnlab.__version__} from {bnlab.__file__} works\n")


if __name__ == "__main__":
    main()
