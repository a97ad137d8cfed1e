"""Files in the usual form are read as a whole, with the result of the descent to the last bit."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bnlab.networks import BifError, asia
from bnlab.networks.io.bif_reader import Reader
from bnlab.networks.io.bif_text import format_bif
from bnlab.networks.io.bif_usual import usual_network
from tests.networks.io.test_bif import CHILD, HEAD, ROOTS, TEXT
from tests.soak import times

ROUNDED = TEXT.replace("0.2, 0.3, 0.5", "0.333, 0.333, 0.333").replace("0.1, 0.9", "0.1000005, 0.9")


def read_by_descent(text):
    try:
        return Reader(text).network()
    except BifError:
        return None


def assert_equal_bits(net, other):
    assert net == other
    assert [cpt.tobytes() for cpt in net.cpts] == [cpt.tobytes() for cpt in other.cpts]
    assert all(type(state) is str for v in net.variables for state in v.states)
    assert [v.code(v.states[-1]) for v in net.variables] == [v.code(v.states[-1]) for v in other.variables]


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        ROUNDED,
        format_bif(asia()),
        TEXT.replace("\n", "\r\n"),
        TEXT.replace(", ", ","),
        re.sub(r"\(([^)]*)\)", r"( \1 )", TEXT),
        re.sub(r"(?<!,)\s+", "\u2003\t", TEXT),
        TEXT.replace("0.1, 0.9", "1e-1,\n.9"),
        TEXT.replace("network test {\n}\n", ""),
        TEXT.replace("network test", "network"),
        HEAD + CHILD + ROOTS,
        re.sub(r"([{;])", r"\1// } a \"comment\"\n", TEXT),
        "// first /*\n" + TEXT + "// last",
        TEXT.replace("yes", "\u00fc/\u559c"),
    ],
    ids=lambda text: None,
)
def test_the_usual_form_is_read_as_a_whole_with_the_same_bits(text):
    assert_equal_bits(usual_network(text), read_by_descent(text))


@pytest.mark.parametrize("seed", range(8))
def test_random_networks_are_read_as_a_whole_with_the_same_bits(random_network, seed):
    text = format_bif(random_network(seed, n=8, zeros=seed % 2 == 0))
    assert_equal_bits(usual_network(text), read_by_descent(text))


@pytest.mark.parametrize(
    "fault",
    [
        *(("0.1", "0.1_0"), ("0.1", "nan"), ("0.1", "1e999"), ("0.1", "x"), ("0.1, 0.9", "-0.1, 1.1")),
        *(("0.1, 0.9", "0.2, 0.9"), ("0.1, 0.9", "0.1, 0.9, 0"), ("(<5, no)", "(<5 no)"), ("<5, no", "<6, no")),
        *(("<5, no", "<5, yes"), ("(<5, no) 0.1", "(<5, no 0.1)"), ("table", "default"), ("[ 2 ]", "[ 3 ]")),
        *(
            ("C | B, A", "C | B, B"),
            ("C | B, A", "C | B, C"),
            ("A ) {\n  table", "C ) {\n  table"),
            ("{ no,", "{ yes,"),
        ),
        *(("{ no,", "{ /* // */ no,"), ("{ no,", '{ " // "\n no,'), ("{ no,", "{ // /*\n /*// */ no,"), ("no", "n//o")),
        *(("discrete", "continuous"), ("variable B", "variable A"), ("variable C", "variable C D"), ("};", "}; x")),
    ],
)
def test_a_fault_is_left_to_the_descent(fault):
    assert fault[0] in TEXT
    assert usual_network(TEXT.replace(*fault, 1)) is None


def test_few_words_for_many_numbers_end_at_once():
    states = ", ".join(f"s{k}" for k in range(3000))
    declared = "".join(f"variable {name} {{ type discrete [ 3000 ] {{ {states} }}; }}\n" for name in "xy")
    rows = "".join(f"(s{k}) 1;\n" for k in range(3000))
    assert usual_network(f"{declared}probability ( x | y ) {{\n{rows}}}\n") is None


TOKEN = re.compile(r"[{}()\[\];,|]|\s+|[^\s{}()\[\];,|]+")
PIECES = st.sampled_from(
    [
        *'{}()[];,|" _',
        "\n",
        "\u2003",
        "\x1c",
        "\x00",
        "//",
        "/*",
        "*/",
        "// x\n",
        "\n",
        '"yes"',
        "yes",
        "no",
        "A",
        "B",
        "Z",
    ]
    + ["0.5", "0.1000004", "0.10001", "0.11", "-0.0", "nan", "inf", "0_5", "1e-1", "1e999", "\u0665", "table"]
    + ["default 0.5, 0.5;", "property x;", "probability", "network x { }", "(<5, no)", "(<5, no) 0.1, 0.9;"]
)


@st.composite
def mutated(draw):
    """A BIF text with tokens deleted, repeated, exchanged, replaced or put in."""
    tokens = TOKEN.findall(draw(st.sampled_from([TEXT, ROUNDED, HEAD + CHILD + ROOTS, format_bif(asia())])))
    for _ in range(draw(st.integers(1, 3))):
        i, j = (draw(st.integers(0, len(tokens) - 1)) for _ in range(2))
        span = slice(i, i + draw(st.sampled_from([1, 1, 1, 2, 3, 12])))
        match draw(st.sampled_from(["delete", "repeat", "exchange", "replace", "insert"])):
            case "delete":
                del tokens[span]
            case "repeat":
                tokens[j:j] = tokens[span]
            case "exchange":
                tokens[i], tokens[j] = tokens[j], tokens[i]
            case "replace":
                tokens[i] = draw(PIECES)
            case "insert":
                tokens.insert(i, draw(PIECES))
        if not tokens:
            break
    return "".join(tokens)


@given(mutated())
@example(TEXT.replace("(<5, no) 0.1, 0.9;", "(<5, no) 0.1; (<5, yes) 0.9;"))
@settings(max_examples=times(150, 1500), deadline=None)
def test_a_mutated_text_is_read_as_a_whole_only_if_the_descent_gives_the_same_bits(text):
    net = usual_network(text)
    if net is not None:
        assert_equal_bits(net, read_by_descent(text))
