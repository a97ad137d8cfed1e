"""XMLBIF 0.3, also called BIFXML: the format that most other packages read without a loss.

References
----------
F. G. Cozman. The Interchange Format for Bayesian Networks, version 0.3 (XMLBIF), 1998. The numbers of a table are in
the order of its GIVEN variables, the first most significant, and then of its FOR variable.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from bnlab.networks.io.draft import Draft, NetworkFileError, numbers_of
from bnlab.networks.io.xml_tree import child_text, content, parse_xml
from bnlab.networks.network import BayesianNetwork


def parse_xmlbif(text: str) -> BayesianNetwork:
    """Read a network from the text of an XMLBIF file; NetworkFileError if it does not hold one."""
    draft = Draft(len(text))
    network = parse_xml(text).find("NETWORK")
    if network is None:
        raise NetworkFileError("the file has no <NETWORK>.")
    for variable in network.iter("VARIABLE"):
        name = child_text(variable, "NAME")
        kind = variable.get("TYPE", "nature")
        if kind != "nature":
            raise NetworkFileError(f"variable {name!r} is of type {kind!r}: only networks of chance nodes can be read.")
        draft.add_variable(name, [content(state) for state in variable if state.tag in ("OUTCOME", "VALUE")])
    for table in [element for element in network if element.tag in ("DEFINITION", "PROBABILITY")]:
        _read_table(draft, table)
    return draft.network()


def _read_table(draft: Draft, table: Element) -> None:
    names = [content(element) for element in table if element.tag == "FOR"]
    if len(names) != 1:
        raise NetworkFileError(f"a table is for {len(names)} variables: one is needed.")
    names += [content(element) for element in table if element.tag == "GIVEN"]
    child, *given = [draft.index(name) for name in names]
    try:
        values = numbers_of(child_text(table, "TABLE"))
    except NetworkFileError:
        raise
    except ValueError as error:
        raise NetworkFileError(f"the table of {names[0]!r} has {str(error)!r} where a number is needed.") from None
    draft.add_table(child, given, values)
