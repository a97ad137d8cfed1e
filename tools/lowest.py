"""Constraints for pip that hold every dependency at the lowest version that pyproject.toml allows.

The lowest major, minor and patch are meant by ``numpy>=1.26``: 1.26.0. ``make lowest`` tests with them.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = ("notebook", "test")
_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[[\w,]+\])?>=(?P<lowest>[\w.]+)(?:,<[\w.]+)?")


def lowest(project: Mapping[str, Any]) -> Iterator[str]:
    """Yield one constraint a dependency of a project and of the extras that its tests need.

    Raises
    ------
    ValueError
        When a dependency names no lowest version.

    Examples
    --------
    >>> list(lowest({"dependencies": ["a>=1.2", "b[c]>=3,<4"], "optional-dependencies": {"test": ["a>=1.2"]}}))
    ['a==1.2', 'b==3']
    """
    extras = project["optional-dependencies"]
    for requirement in dict.fromkeys([*project["dependencies"], *(r for e in EXTRAS for r in extras.get(e, []))]):
        found = _REQUIREMENT.fullmatch(requirement)
        if found is None:
            raise ValueError(f"{requirement!r} names no lowest version: write it as name>=version.")
        yield f"{found['name']}=={found['lowest']}"


def main() -> None:
    """Write the constraints to standard output."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sys.stdout.write("\n".join(lowest(project)) + "\n")


if __name__ == "__main__":
    main()
