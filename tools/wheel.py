"""Use an installed bnlab as a visitor would: every file that it needs at run time must be inside the package.

Run by ``make wheel`` in an environment that holds nothing else, and by a test with ``--files``: then it learns nothing.
"""

import sys
from importlib.resources import files

import bnlab
from bnlab import widgets
from bnlab.data import catalogue
from bnlab.experiments import published


def main() -> None:
    """Learn, score, read what is packed, and make a widget."""
    dag = bnlab.load_network("asia").dag
    if "--files" not in sys.argv:
        data = bnlab.load_network("asia").sample(1000, seed=1)
        learned = bnlab.learn(data, "hill-climbing")
        assert bnlab.score(learned, data, "bic") >= bnlab.score(dag, data, "bic") - 100
    assert len(catalogue.entries()) > 30
    assert all(part.read_text(encoding="utf-8") for part in files(published).iterdir() if part.name.endswith(".csv"))
    panel = widgets.GraphView.from_graph(dag)
    assert "export default" in str(panel._esm)
    assert len(str(panel._css)) > 100
    sys.stdout.write(f"bnlab {bnlab.__version__} from {bnlab.__file__} works\n")


if __name__ == "__main__":
    main()
