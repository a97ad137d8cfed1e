from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from bnlab.networks import asia, from_networkx, simple, to_networkx


@pytest.mark.parametrize("net", [asia(), simple()], ids=["asia", "simple"])
def test_networks_come_back_exactly(net):
    assert from_networkx(to_networkx(net)) == net
    assert nx.is_directed_acyclic_graph(net.to_networkx())


def test_axes_are_brought_from_the_order_given_to_that_of_the_nodes():
    net = asia()
    graph = to_networkx(net)
    graph.nodes["either"].update(parents=("lung", "tub"), cpt=net.cpt("either").swapaxes(0, 1))
    graph.nodes["dysp"].update(parents=["either", "bronc"], cpt=net.cpt("dysp").swapaxes(0, 1).tolist())
    assert from_networkx(graph) == net


def test_wrong_attributes_are_refused():
    def changed(**attributes):
        graph = to_networkx(asia())
        graph.nodes["dysp"].update(attributes)
        return graph

    with pytest.raises(ValueError, match="'dysp': its attribute 'parents' names tub, either"):
        from_networkx(changed(parents=("tub", "either")))
    with pytest.raises(ValueError, match="1 axes for 2 parents"):
        from_networkx(changed(parents=("either", "bronc"), cpt=np.array([0.5, 0.5])))
    graph = to_networkx(asia())
    del graph.nodes["dysp"]["cpt"]
    with pytest.raises(ValueError, match="'dysp' has no attribute 'cpt'"):
        from_networkx(graph)
