"""DSC files of Microsoft's Bayesian network editor, which R bnlearn writes: a belief network of nodes and rows."""

from __future__ import annotations

import re

import numpy as np

from bnlab.networks.io.draft import Draft, NetworkFileError
from bnlab.networks.io.genie import checked_numbers
from bnlab.networks.network import BayesianNetwork

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*+|/\*(?s:.*?)\*/")
_BLOCK = re.compile(
    r"\s*+(belief\s++network\b[^\n{]*+|(?:node|probability)\b[^{]*+\{"
    rf"(?:{_STRING}|[^\"{{}}]|\{{(?:{_STRING}|[^\"{{}}])*+\}}|\"(?![^\n}}]*\"))*+\}}\s*+;?)"
)
_TYPE = re.compile(rf"\btype\s*:\s*(\w+)\s*\[\s*\d+\s*\]\s*=\s*\{{((?:{_STRING}|[^\"}}])*)\}}")
_ROW = re.compile(r"\s*+(?:\(([\d\s,]*)\)\s*:|(default)\s*:|table\b)?([^;:()]*);")


def parse_dsc(text: str) -> BayesianNetwork:
    """Read a network from the text of a DSC file; NetworkFileError if it does not hold one."""
    draft = Draft(len(text))
    text = _COMMENT.sub(lambda match: match[1] or "", text)
    tables = []
    at = 0
    while at < len(text.rstrip()):
        block = _BLOCK.match(text, at)
        if block is None:
            raise NetworkFileError(f"found {text[at : at + 60].split()[0]!r} where a node or a probability is needed.")
        at = block.end()
        head, _, body = block[1].partition("{")
        word, _, name = head.strip().partition(" ")
        if word == "node":
            kind = _TYPE.search(body)
            if kind is None or kind[1] != "discrete":
                raise NetworkFileError(f"node {name!r} has no type : discrete [ n ] = {{ .. }}.")
            draft.add_variable(name.strip(), re.findall(r'"((?:[^"\\\n]|\\.)*+)"', kind[2]) or kind[2].split())
        elif word.startswith("probability"):
            tables.append((head.partition("(")[2].rpartition(")")[0].strip(), body[: body.rindex("}")]))
    for head, body in tables:
        _read_table(draft, head, body)
    return draft.network()


def _read_table(draft: Draft, head: str, body: str) -> None:
    child, parents = draft.family(head)
    name = draft.variables[child].name
    draft.check_family(child, parents)
    table = np.full(draft.reserve(child, parents), np.nan)
    at = 0
    while at < len(body.rstrip()):
        row = _ROW.match(body, at)
        if row is None:
            raise NetworkFileError(
                f"the table of {name!r} has {body[at : at + 60].split()[0]!r} where a row is needed."
            )
        at = row.end()
        numbers = checked_numbers(name, row[3])
        needed = table.shape[1] if row[1] or row[2] else table.size
        if len(numbers) != needed:
            raise NetworkFileError(f"the table of {name!r} has {len(numbers)} numbers where {needed} are needed.")
        if row[2]:
            table[np.isnan(table).any(axis=1)] = numbers
        elif row[1]:
            table[_row_number(draft, name, parents, row[1])] = numbers
        else:
            table[:] = np.reshape(numbers, table.shape)
    draft.add_table(child, parents, table.ravel().tolist())


def _row_number(draft: Draft, name: str, parents: list[int], codes: str) -> int:
    arities = [draft.variables[p].arity for p in parents]
    row = [int(code) for code in codes.replace(",", " ").split()]
    if len(row) != len(parents) or any(code >= r for code, r in zip(row, arities, strict=True)):
        raise NetworkFileError(f"the table of {name!r} has no row ({codes}): its parents have {arities} states.")
    return int(np.ravel_multi_index(row, arities))
