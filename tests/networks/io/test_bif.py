from __future__ import annotations

import gzip
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, BifError, asia, parse_bif, read_bif, simple, write_bif
from bnlab.networks.io.bif_writer import format_bif
from tests.soak import times

HEAD = """network test {
}
variable A {
  type discrete [ 2 ] { no, yes };
}
variable B {
  type discrete [ 3 ] { <5, 5-12, >=7.5 };
}
variable C {
  type discrete [ 2 ] { t, f };
}
"""
ROOTS = """probability ( A ) {
  table 0.2, 0.8;
}
probability ( B ) {
  table 0.2, 0.3, 0.5;
}
"""
CHILD = """probability ( C | B, A ) {
  (<5, no) 0.1, 0.9;
  (5-12, no) 0.2, 0.8;
  (>=7.5, no) 0.3, 0.7;
  (<5, yes) 0.4, 0.6;
  (5-12, yes) 0.5, 0.5;
  (>=7.5, yes) 0.6, 0.4;
}
"""
TEXT = HEAD + ROOTS + CHILD
BY_A_THEN_B = [[[0.1, 0.9], [0.2, 0.8], [0.3, 0.7]], [[0.4, 0.6], [0.5, 0.5], [0.6, 0.4]]]


def test_axes_follow_the_order_of_the_variables_not_that_of_the_file():
    net = parse_bif(TEXT)
    assert net.dag == Dag(["A", "B", "C"], [(), (), (0, 1)])
    assert net.cpt("C").tolist() == BY_A_THEN_B
    assert net.variables[1].states == ("<5", "5-12", ">=7.5")


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        re.sub(r"[ \n]+", " ", TEXT),
        re.sub(r" *([{}()\[\],;|]) *\n*", r"\1", TEXT).replace("{type", "{ type"),
        re.sub(r"([{}()\[\],;|])", r"\n\t\1\n\t", TEXT),
        re.sub(r"([{;])", r"\1 // a 'comment' with } and \"\n", TEXT),
        re.sub(r"([,;(])", r"\1 /* over; two\n } lines // */", TEXT),
        re.sub(r"(A|B|C|no|yes|<5|5-12|>=7.5)(?=[ ,)])", r'"\1"', TEXT),
        TEXT.replace("network test {", 'network "a test" {\n  property author = "me; you" ;\n  property x y;'),
        TEXT.replace("};\n", "};\n  property position = (7.0, 5.0) ;\n  property weight = None ;\n"),
        TEXT.replace("(<5, no)", "property odd { thing ;\n  (<5, no)"),
        TEXT.replace("0.5", "5E-1").replace("0.2", "2.0e-01").replace("0.3", ".3"),
        HEAD + CHILD + ROOTS,
        ROOTS + CHILD + HEAD,
        TEXT.replace("( C | B, A )", "( C B A )").replace("0.1, 0.9", "0.1 0.9").replace("(<5, no)", "(<5 no)"),
        TEXT.replace("  (<5, no) 0.1, 0.9;\n", "").replace("( C | B, A ) {", "( C | B, A ) {\ndefault 0.1, 0.9;"),
        HEAD + ROOTS + "probability ( C | A, B ) { table .1 .2 .3 .4 .5 .6  .9 .8 .7 .6 .5 .4; }",
        TEXT.replace("probability ( A )", "probability ( A | )"),
        HEAD + ROOTS.replace("table", "( )") + CHILD,
    ],
    ids=lambda text: None,
)
def test_ways_to_write_the_same_network(text):
    assert parse_bif(text) == parse_bif(TEXT)


def test_a_default_row_stands_for_those_not_listed():
    net = parse_bif(HEAD + ROOTS + "probability ( C | A, B ) { default 0.5, 0.5; (yes, <5) 0.25, 0.75; }")
    by_hand = np.full((2, 3, 2), 0.5)
    by_hand[1, 0] = [0.25, 0.75]
    assert net.cpt("C").tolist() == by_hand.tolist()
    assert (parse_bif(HEAD + ROOTS + "probability (C|A) {default 1 0;}").cpt("C") == [1, 0]).all()


def test_rounded_rows_are_made_to_sum_to_one_and_exact_ones_are_kept():
    text = TEXT.replace("0.2, 0.3, 0.5", "0.333, 0.333, 0.333").replace("0.2, 0.8", "0.2000001, 0.7999998")
    net = parse_bif(text)
    assert net.cpt("B") == pytest.approx([1 / 3] * 3, abs=1e-15)
    assert net.cpt("A").tolist() == [0.2000001, 0.7999998]
    assert parse_bif(format_bif(net)) == net


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (TEXT.replace("( C | B, A )", "( C | B, Z )"), 18, "no variable 'Z'"),
        (TEXT.replace("( C |", "( D |"), 18, "no variable 'D'"),
        (TEXT.replace("  (<5, yes) 0.4, 0.6;\n", ""), 18, r"row \(<5, yes\) of 'C' is missing"),
        (TEXT.replace("(<5, yes)", "(<5, no)"), 22, r"row \(<5, no\) of 'C' is given twice"),
        (TEXT.replace("(<5, yes)", "(<6, yes)"), 22, "'B' has no state '<6'; its states are '<5', '5-12', '>=7.5'"),
        (TEXT.replace("(<5, yes)", "(<5)"), 22, "1 parent states where 2"),
        (TEXT.replace("0.4, 0.6", "0.4, 0.6, 0"), 22, "3 values where 2"),
        (TEXT.replace("0.4, 0.6", "0.4"), 22, "1 values where 2"),
        (TEXT.replace("0.4, 0.6", "0.4, 0.5"), 18, "sums to 0.9"),
        (TEXT.replace("0.4, 0.6", "1.4, -0.4"), 18, "not negative"),
        (TEXT.replace("0.4, 0.6", "NaN, NaN"), 18, "sums to nan"),
        (TEXT.replace("0.4, 0.6", "1e308, 1e308"), 18, "sums to inf"),
        (TEXT.replace("0.4, 0.6", "0.4, o.6"), 22, "found 'o.6' where a number"),
        (TEXT.replace("0.4, 0.6", "0_4, 0.6"), 22, "found '0_4' where a number"),
        (TEXT.replace("0.4, 0.6;", "0.4, 0.6"), 22, "has no ';' at its end"),
        (TEXT.replace("[ 3 ]", "[ 2 ]"), 7, "declares 2 states and lists 3"),
        (TEXT.replace("5-12, >=", "<5, >="), 6, "states that differ"),
        (TEXT.replace("[ 2 ] { t, f }", "[ 0 ] { }"), 9, "states that differ"),
        (TEXT.replace("discrete [ 3 ]", "continuous [ 3 ]"), 7, "of type 'continuous': only discrete"),
        (TEXT.replace("variable B", "variable A"), 6, "'A' is declared twice"),
        (TEXT.replace("  type discrete [ 2 ] { t, f };\n", ""), 9, "no 'type discrete"),
        (TEXT + ROOTS, 26, "'A' has two probability blocks"),
        (TEXT.replace("( C | B, A )", "( C | B, B )"), 18, "names a variable twice"),
        (TEXT.replace("( C | B, A )", "( )"), 18, "names its variable"),
        (HEAD + ROOTS, 18, "'C' has no probability block"),
        (HEAD, 12, "'A' has no probability block"),
        ((HEAD + CHILD + ROOTS).replace("0.4, 0.6", "0.4, 0.5").replace("0.3, 0.5;", "0.3, x;"), 24, "found 'x'"),
        (TEXT.replace("( A ) {\n  table", "( A | C ) {\n default"), 26, "C -> A -> C|A -> C -> A"),
        (TEXT[:-2], 18, "never closed: '}' is missing"),
        (TEXT[: TEXT.index("discrete [ 3") + 8], 6, "never closed"),
        (TEXT.replace("( A )", "( /* A )"), 12, "comment that begins here is never closed"),
        (TEXT.replace("( A )", '( "A )'), 12, "no variable '.A' is declared"),
        (TEXT.replace("variable C", "Variable C"), 8, "found '}', which does not belong"),
        (TEXT.replace("  table 0.2, 0.8;", "  table 0.2, 0.8; table 0.2, 0.8;"), 13, "given twice"),
        ("{}", 1, "block begins"),
        ("\n\n", 3, "no variable is declared"),
    ],
)  # fmt: skip
def test_errors_name_the_line_and_what_is_wrong(text, line, words):
    with pytest.raises(BifError, match=words) as caught:
        parse_bif(text)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"line {caught.value.line}: ")


def test_files_are_read_and_written_whatever_their_packing(tmp_path):
    net = simple()
    write_bif(net, tmp_path / "net.bif")
    assert read_bif(tmp_path / "net.bif") == net == read_bif(str(tmp_path / "net.bif"))
    assert read_bif((tmp_path / "net.bif").read_text()) == net
    packed = gzip.compress((tmp_path / "net.bif").read_bytes())
    (tmp_path / "net.bif.gz").write_bytes(packed)
    assert read_bif(tmp_path / "net.bif.gz") == net
    (tmp_path / "cut.bif.gz").write_bytes(packed[:-20])
    with pytest.raises(BifError, match=r"damaged \.gz"):
        read_bif(tmp_path / "cut.bif.gz")
    (tmp_path / "old.bif").write_bytes(TEXT.replace("yes", "s\u00ed").encode("latin-1"))
    with pytest.warns(UserWarning, match="read as cp1252, a guess"):
        assert read_bif(tmp_path / "old.bif").variables[0].states == ("no", "s\u00ed")
    (tmp_path / "marked.bif").write_bytes(b"\xef\xbb\xbf" + TEXT.encode())
    assert read_bif(tmp_path / "marked.bif") == parse_bif(TEXT)
    net.to_bif(tmp_path / "again.bif")
    assert (tmp_path / "again.bif").read_bytes() == (tmp_path / "net.bif").read_bytes()


def test_states_that_are_not_strings_come_back_as_their_text():
    net = BayesianNetwork(Dag.empty(["x"]), [Variable("x", (0, 1.5, True))], [[0.25, 0.25, 0.5]])
    assert parse_bif(format_bif(net)).variables[0].states == ("0", "1.5", "True")
    with pytest.raises(ValueError, match="the same text"):
        format_bif(BayesianNetwork(Dag.empty(["x"]), [Variable("x", (1, "1"))], [[0.5, 0.5]]))


@given(st.lists(st.text(max_size=6), min_size=1, max_size=5, unique=True), st.text(max_size=6))
@settings(max_examples=times(20, 50), deadline=None)
def test_any_names_come_back_exactly(states, name):
    net = BayesianNetwork(Dag.empty([name]), [Variable(name, tuple(states))], [np.full(len(states), 1 / len(states))])
    assert parse_bif(format_bif(net)) == net


FAULTS = [
    *(("0.1", "0.1"), ("0.1", "0.1_0"), ("0.1", "nan"), ("0.1", "1e999"), ("0.1", "x"), ("0.1, 0.9", "-0.1, 1.1")),
    *(("0.1, 0.9", "0.2, 0.9"), ("0.1, 0.9", "0.1, 0.8999"), ("0.1, 0.9", "0.1 0.9"), ("0.1, 0.9", "0.1, 0.9, 0")),
    *(("<5, no", "<5, yes"), ("<5, no", "<6, no"), ("<5, no", "no, <5"), ("<5, no", "<5"), ("(<5, no)", "default")),
]


def network_or_message(text):
    try:
        return parse_bif(text)
    except BifError as error:
        return str(error)


@pytest.mark.parametrize("fault", FAULTS)
@settings(max_examples=times(3, 10), deadline=None)
@given(rows=st.permutations(CHILD.splitlines()[1:-1]))
def test_rows_read_together_give_what_they_give_one_by_one(fault, rows):
    block = "\n".join([CHILD.splitlines()[0], *rows, "}\n"]).replace(*fault)
    text = HEAD + block + ROOTS
    assert network_or_message(text) == network_or_message(text + '// a "')  # where quotes are, rows are read one by one


PIECES = st.sampled_from(
    [*'{}()[];,|"\\/*\n 0', "//", "/*", "*/", "probability (", "table", "default 1, 0;", "1e999", "\x00", "é"]
)


@st.composite
def mutated(draw):
    """A BIF text with pieces cut out, moved or put in."""
    text = draw(st.sampled_from([TEXT, format_bif(asia())]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 1, 3, 30, 10_000])))
        middle = draw(st.one_of(st.just(""), PIECES, st.just(text[start:end] * 2)))
        text = text[:start] + middle + text[end:]
    return text


@given(mutated())
@settings(max_examples=times(50, 150), deadline=None)
def test_a_mutated_text_is_a_network_or_a_bif_error(text):
    try:
        net = parse_bif(text)
    except BifError:
        return
    assert parse_bif(format_bif(net)) == net


@pytest.mark.parametrize(
    "piece", ["/* ", '"', '"\\', "\n// x", "( ", "variable a {", "network { property ", "probability ( "]
)
def test_broken_texts_of_any_length_end_in_an_error_at_once(piece):
    with pytest.raises(BifError):
        parse_bif(piece * 100_001)


@pytest.mark.needs_data
@pytest.mark.parametrize(
    ("name", "nodes", "edges", "parameters"),
    [
        ("asia", 8, 8, 18), ("cancer", 5, 4, 10), ("earthquake", 5, 4, 10), ("survey", 6, 6, 21),
        ("sachs", 11, 17, 178), ("alarm", 37, 46, 509), ("child", 20, 25, 230), ("insurance", 27, 52, 1008),
        ("hailfinder", 56, 66, 2656), ("andes", 223, 338, 1157),
    ],
)  # fmt: skip
def test_networks_of_the_repository_have_their_published_size_and_come_back_exactly(
    shared_data, name, nodes, edges, parameters
):
    net = read_bif(shared_data / "networks" / f"{name}.bif")
    assert (len(net), len(net.dag.edges), net.n_parameters) == (nodes, edges, parameters)
    assert parse_bif(format_bif(net)) == net
