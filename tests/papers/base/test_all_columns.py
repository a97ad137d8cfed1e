"""Studies whose stored records were made with edges of constant columns still make them."""

import pytest

import bnlab
from bnlab.counts import count_source
from bnlab.papers.base.all_columns import learn_all_columns
from bnlab.papers.carvalho2007.combine import METHODS


def test_constant_columns_may_have_edges():
    table = bnlab.load_network("asia").sample(100, seed=0)
    assert count_source(table).constant == (table.index("tub"),)
    assert len(learn_all_columns(count_source(table), "branching").edges) == 7
    assert not any("tub" in edge for edge in bnlab.learn(table, "branching").edges)


@pytest.mark.parametrize("name", METHODS)
def test_without_constant_columns_the_graph_is_that_of_learn(name):
    table = bnlab.load_network("asia").sample(500, seed=1)
    algorithm, options = METHODS[name]
    assert learn_all_columns(count_source(table), algorithm, **options) == bnlab.learn(table, algorithm, **options)
