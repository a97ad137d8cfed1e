"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

import pandas as pd
import pytest

from bnlab.data import catalogue
from bnlab.data.table import Table
from bnlab.data.variable import Variable
from bnlab.papers.villanueva2012 import reported


@pytest.fixture(scope="session")
def golden() -> Path:
    """Folder of values computed with other people's software (its README says which)."""
    return Path(__file__).parent / "golden"


@pytest.fixture(scope="session")
def alarm5k() -> Table:
    """5,000 rows of ALARM drawn by R bnlearn, with the states its network declares."""
    return reported.alarm5k()


@pytest.fixture(scope="session")
def hailfinder5k(golden: Path) -> Table:
    """5,000 rows of Hailfinder drawn by R bnlearn, with the states its network declares."""
    codes = pd.read_csv(golden / "hailfinder5k_data.csv.gz")
    states = pd.read_csv(golden / "hailfinder5k_states.csv", keep_default_na=False)
    by_variable = states.groupby("variable", sort=False).state
    variables = [Variable(column, tuple(by_variable.get_group(column))) for column in codes]
    return Table.from_codes(codes.to_numpy(), variables)


class CatalogueFiles:
    """Files of the catalogue as if they lay in one folder; each is fetched when its path is complete."""

    def __init__(self, path: str | PurePosixPath = "") -> None:
        self.path = PurePosixPath(path)

    def __truediv__(self, part: str) -> Path | CatalogueFiles:
        path = self.path / part
        is_file = any(entry.file == str(path) for entry in catalogue.entries())
        return catalogue.fetch(str(path)) if is_file else CatalogueFiles(path)


@pytest.fixture(scope="session")
def shared_data() -> CatalogueFiles:
    """Third-party files: ``shared_data / "networks" / "alarm.bif"`` is a path; without it the test is left out."""
    return CatalogueFiles()


@pytest.fixture(scope="session", autouse=True)
def _hosts_are_tried_once() -> Iterator[None]:
    """Do not wait for a host again that could not be reached before."""
    unreachable: dict[str, OSError] = {}
    download = catalogue.download

    def once(url: str, *most: int) -> bytes:
        host = urlsplit(url).netloc
        if host in unreachable:
            raise unreachable[host]
        try:
            return download(url, *most)
        except OSError as error:
            if getattr(error, "response", None) is None:
                unreachable[host] = error
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "download", once)
        yield
