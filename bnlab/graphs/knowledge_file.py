"""Background knowledge in a file that people write by hand: TOML or JSON."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from bnlab._runtime.files import open_to_read
from bnlab._runtime.names import check_known
from bnlab.graphs.knowledge import Knowledge

PARTS = ("required", "forbidden", "tiers", "max_parents", "within")
_NEEDED = "give the path of a .toml or .json file with background knowledge."


def read_knowledge(path: str | os.PathLike[str]) -> Knowledge:
    r"""Read background knowledge from a file of TOML or JSON, whose parts are the parameters of `Knowledge`.

    Parameters
    ----------
    path : str or path
        A file that ends in ``.json`` is JSON, any other TOML. Every part may be left out: `required`, `forbidden` and
        `within` are lists of pairs of names, `tiers` is a list of lists of names, `max_parents` a number, or a table of
        names and numbers.

    Raises
    ------
    ValueError
        If the file is no TOML or JSON, has another part, or rules contradict each other.
    OSError
        If there is no such file, or it cannot be read.

    Examples
    --------
    >>> path = getfixture("tmp_path") / "known.toml"
    >>> _ = path.write_text('required = [["smoker", "cough"]]\ntiers = [["age", "sex"], ["smoker"]]\n')
    >>> read_knowledge(path)
    Knowledge(required=[('smoker', 'cough')], tiers=[['age', 'sex'], ['smoker']])
    """
    with open_to_read(path, _NEEDED) as file:
        data = file.read()
    try:
        text = data.decode("utf-8-sig")
        parts: Any = json.loads(text) if Path(path).suffix.lower() == ".json" else tomllib.loads(text)
        if not isinstance(parts, dict):
            raise ValueError(f"an object with the parts {', '.join(PARTS)} is needed.")
        for name in parts:
            check_known(name, PARTS, f"{name!r} is no part of background knowledge")
        for name in ("required", "forbidden", "within", "tiers"):
            groups = parts.get(name, [])
            if not (isinstance(groups, list) and all(isinstance(group, list) for group in groups)):
                raise ValueError(f"{name} = {parts[name]!r}: a list of lists of names is needed.")
        if not isinstance(parts.get("max_parents", {}), dict | int):
            raise ValueError(f"max_parents = {parts['max_parents']!r}: a number, or a number by name is needed.")
        within = parts.pop("within", None)
        return Knowledge(**parts, within=None if within is None else list(map(tuple, within)))
    except (ValueError, TypeError, RecursionError) as error:
        raise ValueError(f"{os.fspath(path)}: {error}") from None
