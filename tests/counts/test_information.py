"""Mutual information against R bnlearn's values and the definition."""

import numpy as np
import pandas as pd
import pytest

from bnlab.counts.information import mutual_information
from bnlab.data import Table, Variable


def test_pairwise_information_equals_bnlearn(golden, alarm5k):
    expected = pd.read_csv(golden / "pairwise_mi_alarm5k.csv")
    matrix = mutual_information(alarm5k)
    assert len(expected) == 666
    found = [matrix[alarm5k.index(x), alarm5k.index(y)] for x, y in zip(expected.x, expected.y, strict=True)]
    np.testing.assert_allclose(found, expected.mi_nats, rtol=1e-9, atol=1e-14)


def test_conditional_information_follows_its_definition():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (400, 3))
    codes[:, 1] = (codes[:, 0] + codes[:, 2] * rng.integers(0, 2, 400)) % 3
    table = Table.from_codes(codes, [Variable(name, (0, 1, 2)) for name in "abz"])
    p = np.zeros((3, 3, 3))
    np.add.at(p, tuple(codes.T), 1 / 400)
    pz, paz, pbz = p.sum((0, 1)), p.sum(1), p.sum(0)
    expected = sum(p[a, b, z] * np.log(p[a, b, z] * pz[z] / (paz[a, z] * pbz[b, z])) for a, b, z in np.argwhere(p > 0))
    matrix = mutual_information(table, given=2)
    assert matrix[0, 1] == pytest.approx(expected, rel=1e-12)
    assert (matrix == matrix.T).all()
    assert not matrix[2].any()
