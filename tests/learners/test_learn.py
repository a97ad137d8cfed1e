import pytest

import bnlab
from bnlab.graphs import Dag
from bnlab.learners import make_search
from bnlab.learners.table import LEARNERS
from bnlab.search import iterate, run

OPTIONS = {
    "branching": {"score": "k2"},
    "ckg": {"k": 2, "order": "bfs", "score": "bdeu", "ess": 4},
    "ordering-search": {"k": 2, "restarts": 3, "seed": 1},
    "k2": {"max_parents": 2, "orders": 3},
    "hill-climbing": {"tabu": 5, "restarts": 2, "seed": 3},
    "chen": {"variant": "paper", "seed": 2},
}


@pytest.fixture(scope="module")
def table():
    return bnlab.load_network("asia").sample(400, seed=1)


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_a_search_by_name_ends_where_the_one_call_does(table, algorithm):
    options = OPTIONS.get(algorithm, {})
    found = run(make_search(table, algorithm, **options))
    assert Dag(table.names, found) == bnlab.learn(table, algorithm, **options)


@pytest.mark.parametrize("algorithm", LEARNERS)
def test_a_search_that_is_stopped_has_a_network(table, algorithm):
    search = make_search(table, algorithm)
    assert Dag(table.names, search.result(search.init()))
    for step, (state, _) in enumerate(iterate(search)):
        assert len(Dag(table.names, search.result(state))) == 8
        if step == 5:
            break


def test_a_table_of_one_variable_has_a_network_without_edges(table):
    alone = table.select(["asia"])
    for algorithm in ("branching", "ckg", "ordering-search", "hill-climbing"):
        assert run(make_search(alone, algorithm)) == ((),)


def test_unknown_algorithms_and_options_are_refused_in_words(table):
    with pytest.raises(ValueError, match="did you mean 'hill-climbing'"):
        make_search(table, "hill-climbers")
    with pytest.raises(TypeError, match="algorithm=3 is not a name"):
        make_search(table, 3)
    with pytest.raises(ValueError, match="tabu"):
        make_search(table, "hill-climbing", taboo=3)


@pytest.mark.parametrize(
    ("algorithm", "options", "message"),
    [
        ("hill-climbing", {"seed": None}, "seed=None is not an integer"),
        ("hill-climbing", {"tabu": None}, "tabu=None is not an integer"),
        ("hill-climbing", {"restarts": None}, "restarts=None is not an integer"),
        ("boss", {"restarts": None}, "restarts=None is not an integer"),
        ("k2", {"seed": None, "orders": 2}, "seed=None is not an integer"),
        ("ordering-search", {"restarts": None}, "restarts=None is not an integer"),
        ("ordering-search", {"start": 3}, "order 3: an order is a list of the 8 variables"),
        ("chen", {"Q": None}, "Q=None is not an integer"),
        ("chen", {"growth": "2"}, "growth='2' is not a number"),
        ("branching", {"root": 2.0}, r"variable 2\.0: give the name of a variable or its number"),
        ("pc", {"max_order": "2"}, "max_order='2' is not an integer"),
        ("pc", {"rows_per_cell": "2"}, "rows_per_cell='2': a number that is not negative"),
        ("pc", {"knowledge": [("asia", "lung")]}, r"knowledge is a list: give a bnlab\.Knowledge"),
    ],
)
def test_an_option_of_the_wrong_type_is_named(table, algorithm, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make_search(table, algorithm, **options)
