"""Fitted networks of R bnlearn, in files as R writes them: arrays with names of their dimensions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bnlab.networks import NetworkFileError, read_network


@pytest.fixture(autouse=True)
def needs_rdata(left_out: Callable[[str, str], None]) -> None:
    if find_spec("rdata") is None:
        left_out("files of R", "pip install rdata")


def write(path: Path, content: Any, compression: str | None = "gzip") -> None:
    """Write a file of R from lists and arrays."""
    import rdata
    import xarray
    from rdata.conversion.to_r import build_r_object
    from rdata.parser import RObjectType

    def table(array: Any, converter: Any) -> Any:
        names = {str(axis): np.array(array.coords[axis].values, dtype=str) for axis in array.dims}
        attributes = converter.convert_to_r_attributes({"dim": np.array(array.shape, np.int32), "dimnames": names})
        return build_r_object(RObjectType.REAL, value=np.ravel(array.values, order="F"), attributes=attributes)

    writer = rdata.write_rda if path.suffix == ".rda" else rdata.write_rds
    writer(path, content, compression=compression, constructor_dict={xarray.DataArray: table})


def fitted() -> dict[str, Any]:
    """Network rain -> wet as bn.fit has it: the child is the first axis of its table."""
    import xarray

    states = {"rain": ["no", "yes"], "wet": ["a, b", "(2.45, 4.75]", "Größe"]}
    tables = {"rain": np.array([0.75, 0.25]), "wet": np.array([[0.1, 0.2], [0.1, 0.3], [0.8, 0.5]])}
    axes = {"rain": ["rain"], "wet": ["wet", "rain"]}
    return {
        name: {
            "node": name,
            "prob": xarray.DataArray(table, dims=axes[name], coords={a: states[a] for a in axes[name]}),
        }
        for name, table in tables.items()
    }


@pytest.mark.parametrize("compression", ["gzip", "bzip2", "xz", None])
def test_a_fitted_network_is_read_however_it_is_packed(tmp_path: Path, compression: str | None) -> None:
    write(tmp_path / "fit.rds", fitted(), compression)
    net = read_network(tmp_path / "fit.rds")
    assert [(v.name, v.states) for v in net.variables] == [
        ("rain", ("no", "yes")),
        ("wet", ("a, b", "(2.45, 4.75]", "Größe")),
    ]
    assert net.cpt("rain").tolist() == [0.75, 0.25]
    assert net.cpt("wet").tolist() == [[0.1, 0.1, 0.8], [0.2, 0.3, 0.5]]


def test_the_one_object_that_save_wrote_is_read(tmp_path: Path) -> None:
    write(tmp_path / "fit.rds", fitted())
    write(tmp_path / "fit.rda", {"fit": fitted()})
    assert read_network(tmp_path / "fit.rda") == read_network(tmp_path / "fit.rds")


def test_a_network_of_one_node_is_read(tmp_path: Path) -> None:
    write(tmp_path / "fit.rds", {"rain": fitted()["rain"]})
    assert read_network(tmp_path / "fit.rds").names == ("rain",)


def test_other_data_of_r_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "numbers.rds", np.array([1.0, 2.0]))
    with pytest.raises(NetworkFileError, match="no fitted network of bnlearn"):
        read_network(tmp_path / "numbers.rds")
    write(tmp_path / "gaussian.rds", {"x": {"node": "x", "sd": 1.5}, "y": {"node": "y", "sd": 2.5}})
    with pytest.raises(NetworkFileError, match="node 'x' has no table of probabilities"):
        read_network(tmp_path / "gaussian.rds")
    monkeypatch.setitem(sys.modules, "rdata", None)
    with pytest.raises(ImportError, match="pip install 'bnlab"):
        read_network(tmp_path / "gaussian.rds")
