"""Files of parent sets: what is written is read, and what is wrong is named with its line."""

import pytest

import bnlab
from bnlab.learners import OptimumSearch, ParentSetSearch, read_parent_sets, write_parent_sets
from bnlab.scores import local_scores
from bnlab.search import run


@pytest.fixture
def asia():
    data = bnlab.load_network("asia").sample(200, seed=0)
    return data.names, run(ParentSetSearch(local_scores(data, "bdeu"), 8, 3))


def test_what_is_written_is_read_by_names_and_by_indices(tmp_path, asia):
    names, sets = asia
    assert read_parent_sets(write_parent_sets(tmp_path / "asia.scores", sets, names)) == (names, sets)
    assert read_parent_sets(write_parent_sets(tmp_path / "asia.jkl", sets)) == (tuple("01234567"), sets)


def test_no_file_is_replaced(tmp_path, asia):
    _, sets = asia
    first = write_parent_sets(tmp_path / "asia.jkl", sets)
    second = write_parent_sets(first, sets[:0])
    assert second.name == "asia-2.jkl"
    assert read_parent_sets(first)[1] == sets


def test_a_file_of_another_program_is_read_in_any_sequence_of_sets(tmp_path):
    file = tmp_path / "other.scores"
    file.write_text("2\nA 2\n-3.5 0\n-1e0 1 B\n\nB 1\n-2 0\n")
    names, sets = read_parent_sets(file)
    assert names == ("A", "B")
    assert sets == (((-1.0, (1,)), (-3.5, ())), ((-2.0, ()),))
    assert run(OptimumSearch(sets)) == ((1,), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: 'the end of the file' where the number of variables"),
        ("x\n", "line 1: 'x' where the number of variables"),
        ("1\nA 2\n0 0\n", "line 4: 'the end of the file' where a score"),
        ("1\nA 1\n0 1\n", "line 3: '0 1' where a score"),
        ("1\nA 1\nnan 0\n", "line 3: 'nan 0' where a score"),
        ("2\nA 1\n0 1 C\nB 1\n0 0\n", "line 3: '0 1 C' where parents that are other variables"),
        ("2\nA 1\n0 1 A\nB 1\n0 0\n", "line 3: '0 1 A' where parents that are other variables"),
        ("2\nA 1\n0 0\nA 1\n0 0\n", "line 1: '2' where a file of 2 different variables"),
        ("1\nA 1\n0 0\nB 1\n", "line 4: 'B 1' where the end after 1 variables"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, text, message):
    file = tmp_path / "wrong.jkl"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_parent_sets(file)


def test_a_name_with_a_blank_is_refused(tmp_path, asia):
    _, sets = asia
    with pytest.raises(ValueError, match=r"'a b'.*leave out `names`"):
        write_parent_sets(tmp_path / "x.scores", sets, ["a b", *"1234567"])
