"""Every format that is read or written: names, states and numbers come back; what cannot be read is named."""

from __future__ import annotations

import bz2
import gzip
import lzma
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import bnlab
from bnlab.data import Variable
from bnlab.graphs import Dag
from bnlab.networks import BayesianNetwork, NetworkFileError, as_network, read_network
from bnlab.networks.io.bif import parse_bif
from bnlab.networks.io.bif_writer import format_bif
from tests.networks.io.quirks import IDS, QUIRKS, network

ROOT = Path(__file__).parents[3]
BIF = """network w { property version 1; }
variable rain { property label = "0; {x"; type discrete[2] { no, // "no rain"
    yes// "rain"
  }; }
variable Blood pressure (mmHg) { type discrete [ 3 ] { very low, normal, http://x }; }
probability ( Blood pressure (mmHg) | rain ) {
  property source = "a (b) c";
  default 0.1, 0.1, 0.8; (yes) 0.2, 0.3, 0.5;
}
probability ( rain ) { table 0.75, 0.25// as measured
; }
"""
XMLBIF = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> <!ATTLIST BIF VERSION CDATA #REQUIRED> ]>
<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
<VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>Blood pressure (mmHg)</NAME>
<OUTCOME>very low</OUTCOME><OUTCOME>normal</OUTCOME><OUTCOME>http://x</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>0.75 <!-- dry --> 0.25</TABLE></DEFINITION>
<DEFINITION><FOR>Blood pressure (mmHg)</FOR><GIVEN>rain</GIVEN><TABLE>0.1 0.1 0.8 0.2 0.3 0.5</TABLE></DEFINITION>
</NETWORK></BIF>"""
NET = """% a comment
net { node_size = (50 50); }
node rain { states = ("no" "yes"); label = "50% { rain"; }
node Blood pressure (mmHg) { states = ("very low" "normal" "http://x"); }
potential ( Blood pressure (mmHg) | rain ) { data = ((0.1 0.1 0.8) % no
 (0.2 0.3 0.5)); }
potential (rain) { data = (0.75 0.25); }
"""
XDSL = """<?xml version="1.0"?><smile version="1.0" id="n"><nodes>
<cpt id="rain"><state id="no"/><state id="yes"/><probabilities>0.75 0.25</probabilities></cpt>
<cpt id="Blood pressure (mmHg)"><state id="very low"/><state id="normal"/><state id="http://x"/>
<parents>rain</parents><probabilities>0.1 0.1 0.8 0.2 0.3 0.5</probabilities></cpt>
</nodes></smile>"""
DSL = """net n { // a comment
 node rain { TYPE = CPT; HEADER = { ID = rain; NAME = "Rain; today"; }; PARENTS = ();
  DEFINITION = { NAMESTATES = (no, yes); PROBABILITIES = (0.75, 0.25); }; };
 node Blood pressure (mmHg) { TYPE = CPT; HEADER = { ID = x; }; PARENTS = (rain);
  DEFINITION = { NAMESTATES = (very low, normal, "http://x"); PROBABILITIES = (0.1, 0.1, 0.8, 0.2, 0.3, 0.5); }; };
};"""
DSC = """belief network "n"
node rain { name: "Rain"; type : discrete [ 2 ] = { "no", "yes" }; position: (1, 2); }
node Blood pressure (mmHg) { type : discrete [ 3 ] = { "very low", "normal", "http://x" }; }
probability ( rain ) { 0.75, 0.25; }
probability ( Blood pressure (mmHg) | rain ) { (1) : 0.2, 0.3, 0.5; default : 0.1, 0.1, 0.8; }
"""
UAI = "BAYES\n2\n2 3\n2\n1 0 # rain\n2 0 1\n\n2\n 0.75 0.25\n6\n 0.1 0.1 0.8 0.2 0.3 0.5\n"
TEXTS = {".bif": BIF, ".xmlbif": XMLBIF, ".net": NET, ".xdsl": XDSL, ".dsl": DSL, ".dsc": DSC, ".uai": UAI}
RAIN = ("rain", ("no", "yes"))
PRESSURE = ("Blood pressure (mmHg)", ("very low", "normal", "http://x"))


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


@pytest.mark.parametrize("packed", PACKERS)
@pytest.mark.parametrize("suffix", TEXTS)
def test_the_same_network_is_read_from_every_format_by_its_content(tmp_path: Path, suffix: str, packed: str) -> None:
    path = tmp_path / f"network{packed}"
    path.write_bytes(PACKERS[packed](TEXTS[suffix].encode()))
    net = read_network(path)
    if suffix != ".uai":
        assert {(v.name, v.states) for v in net.variables} == {RAIN, PRESSURE}
    else:
        assert [(v.name, v.states) for v in net.variables] == [("x0", ("0", "1")), ("x1", ("0", "1", "2"))]
    root, child = ("x0", "x1") if suffix == ".uai" else (RAIN[0], PRESSURE[0])
    assert net.dag.edges == ((root, child),)
    assert net.cpt(root).tolist() == [0.75, 0.25]
    assert net.cpt(child).tolist() == [[0.1, 0.1, 0.8], [0.2, 0.3, 0.5]]


# As other packages write names and states that their formats have no rule for.
UNQUOTED = {
    "BIF, quoted names without commas": (
        'network "n" { property "credal-set constant-density-bounded 1.1" ; }\n'
        'variable "X" { type discrete[3] { "a b"  "c"  "d" }; property "position = (1, 2)" ; }\n'
        'variable "Y" { type discrete[2] { "u"  "v" }; }\n'
        'probability ( "X" ) { table\n 0.25 // p(a b)\n 0.25 0.5; }\n'
        'probability ( "Y"  "X" ) { //2 variable(s)\n table 1 0 1 // u\n 0 1 0; }',
        ("a b", "c", "d"),
    ),
    "BIF, intervals": (
        "network n {} variable X { type discrete [ 3 ] { <=2.45, (2.45, 4.75], >4.75 }; } "
        "variable Y { type discrete [ 2 ] { u, v }; } probability ( X ) { table 0.25, 0.25, 0.5; } "
        "probability ( Y | X ) { (<=2.45) 1, 0; ((2.45, 4.75]) 0, 1; (>4.75) 1, 0; }",
        ("<=2.45", "(2.45, 4.75]", ">4.75"),
    ),
    "NET, intervals": (
        "net {} node X { states = (<=2.45 (2.45, 4.75] >4.75 ); } node Y { states = (u v ); } "
        "potential (X) { data = (0.25 0.25 0.5); } potential (Y | X ) { data = ((1 0) % <=2.45\n (0 1)(1 0)); }",
        ("<=2.45", "(2.45, 4.75]", ">4.75"),
    ),
    "NET, brackets and percent": (
        "net {} node X { states = (a(b) [1,2) 50% ); } node Y { states = (u v ); } "
        "potential (X) { data = (0.25 0.25 0.5); } potential (Y | X ) { data = ((1 0)(0 1)(1 0)); }",
        ("a(b)", "[1,2)", "50%"),
    ),
    "NET, quotation marks": (
        'net {} node X { states = ("a);" "say "no"" "c"); } node Y { states = ("u""v"); } '
        "potential (X) { data = (0.25 0.25 0.5); } potential (Y | X ) { data = ((1 0)(0 1)(1 0)); }",
        ("a);", 'say "no"', "c"),
    ),
    "NET, a class": (
        "class n\n{ inputs = (); node_size = (9 9); node X { states = (a b c); } node Y { states = (u v); } "
        "potential (X) { data = (0.25 0.25 0.5); } potential (Y | X ) { data = ((1 0)(0 1)(1 0)); } } % class n",
        ("a", "b", "c"),
    ),
    "XMLBIF, marks of XML": (
        "<BIF><NETWORK><VARIABLE><NAME>X</NAME><OUTCOME><5</OUTCOME><OUTCOME>a & b</OUTCOME><OUTCOME>&gt;</OUTCOME>"
        "</VARIABLE><VARIABLE><NAME>Y</NAME><OUTCOME>u</OUTCOME><OUTCOME>v</OUTCOME></VARIABLE>"
        "<DEFINITION><FOR>X</FOR><TABLE>0.25 0.25 0.5</TABLE></DEFINITION>"
        "<DEFINITION><FOR>Y</FOR><GIVEN>X</GIVEN><TABLE>1 0 0 1 1 0</TABLE></DEFINITION></NETWORK></BIF>",
        ("<5", "a & b", ">"),
    ),
}


@pytest.mark.parametrize("kind", UNQUOTED)
def test_names_and_states_that_a_format_has_no_rule_for_are_read(tmp_path: Path, kind: str) -> None:
    text, states = UNQUOTED[kind]
    (tmp_path / "net").write_text(text)
    net = read_network(tmp_path / "net")
    assert [variable.states for variable in net.variables] == [states, ("u", "v")]
    assert net.cpt("X").tolist() == [0.25, 0.25, 0.5]
    assert net.cpt("Y").tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("suffix", [".net", ".dsc"])
def test_a_bar_may_be_part_of_a_name(tmp_path: Path, suffix: str) -> None:
    text = TEXTS[suffix].replace("rain", "a|b")
    (tmp_path / "net").write_text(text)
    assert read_network(tmp_path / "net").dag.edges == (("a|b", PRESSURE[0]),)


def test_an_xdsl_file_of_agrum_with_several_parents_is_read_with_a_warning(tmp_path: Path) -> None:
    def text(app: str) -> str:
        nodes = "".join(
            f'<cpt id="{name}"><state id="a"/><state id="b"/>{table}</cpt>'
            for name, table in [
                ("X", "<probabilities>0.5 0.5</probabilities>"),
                ("Z", "<probabilities>0.5 0.5</probabilities>"),
                ("Y", "<parents>X Z</parents><probabilities>1 0 0.75 0.25 0.5 0.5 0 1</probabilities>"),
            ]
        )
        return f'<smile><nodes>{nodes}</nodes><extensions><genie app="{app}"/></extensions></smile>'

    (tmp_path / "genie.xdsl").write_text(text("GeNIe 4.1"))
    (tmp_path / "gum.xdsl").write_text(text("aGrUM 3.3"))
    net = read_network(tmp_path / "genie.xdsl")
    assert net.cpt("Y").tolist() == [[[1, 0], [0.75, 0.25]], [[0.5, 0.5], [0, 1]]]
    with pytest.warns(UserWarning, match="aGrUM, which lists parents in another order"):
        assert read_network(tmp_path / "gum.xdsl") == net


def test_the_encoding_that_xml_declares_is_no_guess(tmp_path: Path) -> None:
    text = XMLBIF.replace("UTF-8", "windows-1251").replace("rain", "погода")
    (tmp_path / "net.xml").write_bytes(text.encode("cp1251"))
    assert read_network(tmp_path / "net.xml").names[0] == "погода"


@pytest.mark.parametrize("suffix", [".bif", ".xmlbif", ".bifxml", ".net"])
@pytest.mark.parametrize("net", QUIRKS, ids=IDS)
def test_what_is_saved_comes_back_with_the_same_bits(tmp_path: Path, net: BayesianNetwork, suffix: str) -> None:
    path = tmp_path / f"net{suffix}"
    net.save(path)
    assert read_network(path) == net
    assert bnlab.load_network(path) == net


@pytest.mark.parametrize("net", QUIRKS, ids=IDS)
def test_portable_bif_has_plain_names_and_brings_the_originals_back(net: BayesianNetwork) -> None:
    text = format_bif(net, portable=True)
    assert parse_bif(text) == net
    assert text.isascii()
    lines = [line for line in text.splitlines() if not line.strip().startswith("property")]
    assert set("\n".join(lines)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.-{}[]()|,; \n")


UNREADABLE = {
    "class n {\n labels(a, b) X {[0.3, 0.7]};\n}": "this is a file of the format O3PRM; bnlab reads BIF",
    "<ANALYSISNOTEBOOK><BNMODEL/></ANALYSISNOTEBOOK>": "this is a file of the format XBN",
    "<graphml></graphml>": "this is a file of the format GraphML",
    "bnet net { node X { }; };": "Netica DNET",
    "what is this?": "begins with 'what is this.', as no known format does",
    "": "begins with ''",
    BIF.replace("probability ( rain )", "utility ( rain )"): "holds an influence diagram",
    BIF.replace("table 0.75, 0.25", "table lower-envelope 0.7, 0.2"): "holds a credal network",
    XMLBIF.replace('"nature"><NAME>rain', '"utility"><NAME>rain'): "'rain' is of type 'utility'",
    NET.replace("node rain", "decision rain"): "decision 'rain'",
    XDSL.replace('<cpt id="rain">', '<decision id="rain">', 1).replace(
        "</cpt>", "</decision>", 1
    ): "of type 'decision'",
    UAI.replace("BAYES", "MARKOV"): "of type 'MARKOV'",
    UAI.replace("0.1 0.1 0.8", "0.1 0.1 0.9"): "sums to 1.1",
    UAI.replace("2 3\n", "2 999999999\n"): "more than the file has numbers",
    NET.replace('"very low"', "very low"): "has 6 numbers where 8 are needed",
    XMLBIF.replace("0.8 0.2", "0.8"): "has 5 numbers where 6 are needed",
    XMLBIF.replace("<!ELEMENT BIF ( NETWORK )*>", '<!ENTITY a "b">'): "declares the entity 'a'",
    XMLBIF.replace("<!ELEMENT BIF ( NETWORK )*>", '<!ENTITY a SYSTEM "file:///etc/passwd">'): "declares the entity 'a'",
    "<BIF>" * 200: "nested deeper than 100",
    "<BIF><NETWORK>": "no well-formed XML",
}


@pytest.mark.parametrize("text", UNREADABLE, ids=range(len(UNREADABLE)))
def test_what_cannot_be_read_is_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "file"
    path.write_text(text)
    with pytest.raises(NetworkFileError, match=UNREADABLE[text]) as caught:
        read_network(path)
    assert str(path) in str(caught.value)


def test_a_suffix_without_a_writer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"ends in '.xdsl': networks are written as .bif, .xmlbif, .bifxml, .xml, .net"
    ):
        QUIRKS[0].save(tmp_path / "net.xdsl")
    with pytest.raises(ValueError, match="begins or ends with a blank"):
        network("A ").save(tmp_path / "net.xmlbif")


@pytest.mark.parametrize("encoding", ["gb18030", "cp1251", "shift_jis", "utf-16", "utf-8"])
def test_networks_in_other_encodings_are_read_and_a_guess_is_reported(tmp_path: Path, encoding: str) -> None:
    name = {"gb18030": "年龄收入", "cp1251": "погода", "shift_jis": "こんにちは天気"}.get(encoding, "rain")
    states = {"gb18030": "青年, 老年", "cp1251": "молодой, старый", "shift_jis": "わかい, 老いた"}.get(
        encoding, "ja, nö"
    )
    text = (
        BIF.replace('no, // "no rain"\n    yes// "rain"', states)
        .replace("(yes)", f"({states.split(', ')[1]})")
        .replace("rain", name)
    )
    path = tmp_path / "net.bif"
    path.write_bytes(text.encode(encoding))
    if encoding.startswith("utf"):
        net = read_network(path)
    else:
        with pytest.warns(UserWarning, match=f"net.bif is not UTF-8; it is read as {encoding}, a guess"):
            net = read_network(path)
    assert net.variables[0].states == tuple(states.split(", "))


def pgmpy_reads(path: Path) -> BayesianNetwork:
    """The network that pgmpy reads from a file, with its variables and states in its own order."""
    import pgmpy.readwrite

    reader = pgmpy.readwrite.XMLBIFReader if path.suffix == ".bifxml" else pgmpy.readwrite.BIFReader
    model = reader(str(path)).get_model()
    return as_network(model)


def pyagrum_reads(path: Path) -> BayesianNetwork:
    """The network that pyAgrum reads from a file."""
    import pyagrum

    return as_network(pyagrum.loadBN(str(path)))


PEERS: dict[str, Callable[[Path], BayesianNetwork]] = {"pgmpy": pgmpy_reads, "pyagrum": pyagrum_reads}


def compare_with_peer(peer: str, suffix: str, folder: Path) -> None:
    """Assert that a package reads every quirk from a file, and that its models come back."""
    # Names in portable BIF are plain, and pgmpy takes a second for each file.
    for number, net in enumerate(QUIRKS[::5] if (peer, suffix) == ("pgmpy", ".bif") else QUIRKS):
        path = folder / f"{number}{suffix}"
        if suffix == ".bif":
            net.to_bif(path, portable=True)
            lines = path.read_text(encoding="utf-8").splitlines()
            net = parse_bif("\n".join(line for line in lines if "bnlab_" not in line))
        else:
            net.save(path)
        same_numbers(PEERS[peer](path), net)
        same_numbers(as_network(net.to_pgmpy() if peer == "pgmpy" else net.to_pyagrum()), net)


@pytest.mark.parametrize("peer", [pytest.param("pgmpy", marks=pytest.mark.slow), "pyagrum"])
@pytest.mark.parametrize("suffix", [".bifxml", ".bif"])
def test_other_packages_read_what_is_saved_and_their_models_come_back(
    tmp_path: Path, suffix: str, peer: str, left_out: Callable[[str, str], None]
) -> None:
    if find_spec(peer) is None:
        left_out(f"what {peer} reads", f"pip install {peer}")
    # In a process of its own: libraries of threads that other packages bring do not always agree.
    call = f"compare_with_peer({peer!r}, {suffix!r}, Path({str(tmp_path)!r}))"
    code = f"from tests.networks.io.test_formats import *; {call}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def same_numbers(found: BayesianNetwork, net: BayesianNetwork) -> None:
    """Assert equality of two networks whose variables and states have any order."""
    assert set(found.names) == set(net.names)
    for name in net.names:
        parents = net.dag.parents_of(name)
        table = found.cpt(name).transpose(*map(found.dag.parents_of(name).index, parents), len(parents))
        for axis, node in enumerate((*parents, name)):
            states = found.variables[found.names.index(node)].states
            wanted = net.variables[net.names.index(node)].states
            assert sorted(map(str, states)) == sorted(map(str, wanted))
            table = np.take(table, [states.index(state) for state in wanted], axis=axis)
        assert np.allclose(table, net.cpt(name), rtol=0, atol=1e-7)


def test_empty_names_and_states_come_back(tmp_path: Path) -> None:
    nothing = [Variable("", ("", "b")), Variable("x", ("a", ""))]
    net = BayesianNetwork(Dag(["", "x"], [(), (0,)]), nothing, [[0.25, 0.75], [[0.5, 0.5], [0.1, 0.9]]])
    for portable in (False, True):
        net.to_bif(tmp_path / "x.bif", portable=portable)
        assert read_network(tmp_path / "x.bif") == net
    net.save(tmp_path / "x.net")
    assert read_network(tmp_path / "x.net") == net


def test_net_refuses_a_line_break_that_it_cannot_hold(tmp_path: Path) -> None:
    for name, state in (("a\nb", "c"), ("a", "c\nd")):
        net = BayesianNetwork(Dag([name], [()]), [Variable(name, (state, "e"))], [[0.5, 0.5]])
        with pytest.raises(ValueError, match="has a line break, which NET cannot hold"):
            net.save(tmp_path / "x.net")
        assert not (tmp_path / "x.net").exists()


def test_a_deterministic_node_of_genie_names_its_states(tmp_path: Path) -> None:
    text = (
        '<smile><nodes><cpt id="a"><state id="y"/><state id="n"/><probabilities>0.2 0.8</probabilities></cpt>'
        '<deterministic id="d"><state id="on"/><state id="off"/><parents>a</parents>'
        "<resultingstates>off {}</resultingstates></deterministic></nodes></smile>"
    )
    (tmp_path / "x.xdsl").write_text(text.format("on"))
    assert read_network(tmp_path / "x.xdsl").cpt("d").tolist() == [[0, 1], [1, 0]]
    (tmp_path / "x.xdsl").write_text(text.format("maybe"))
    with pytest.raises(NetworkFileError, match=r"x.xdsl: the table of 'd' has 'maybe', which is no state"):
        read_network(tmp_path / "x.xdsl")


@pytest.mark.parametrize(
    "rows", ["(0) : 0.5; (1) : 0.2, 0.8;", "(0) : 0.1, 0.9; default : 0.5;", "(0) : 0.1, 0.2, 0.7;"]
)
def test_a_row_of_dsc_has_a_number_for_each_state(rows: str, tmp_path: Path) -> None:
    text = (
        'belief network "x"\nnode A {{ type : discrete [ 2 ] = {{ "a", "b" }}; }}\n'
        'node B {{ type : discrete [ 2 ] = {{ "c", "d" }}; }}\n'
        "probability ( A ) {{ 0.3, 0.7; }}\nprobability ( B | A ) {{ {} }}\n"
    )
    (tmp_path / "x.dsc").write_text(text.format("(1) : 0.2, 0.8; default : 0.1, 0.9;"))
    assert read_network(tmp_path / "x.dsc").cpt("B").tolist() == [[0.1, 0.9], [0.2, 0.8]]
    (tmp_path / "x.dsc").write_text(text.format(rows))
    with pytest.raises(NetworkFileError, match=r"x.dsc: the table of 'B' has (1|3) numbers where 2 are needed"):
        read_network(tmp_path / "x.dsc")
