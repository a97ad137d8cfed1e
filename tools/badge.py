"""Write the Binder badge into the README: ``python -m tools.badge``, in a clone of the repository that people will use.

The address is that of the clone's origin. Only GitHub's repositories have the short address that is written here.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tools.urls import binder_url

ROOT = Path(__file__).parent.parent
BADGE = "[![Open on Binder](https://mybinder.org/badge_logo.svg)]"


def repository_of(origin: str) -> str | None:
    """Owner and name of a repository on GitHub; None for another address.

    Examples
    --------
    >>> repository_of("git@github.com:someone/bnlab.git"), repository_of("https://github.com/someone/bnlab")
    ('someone/bnlab', 'someone/bnlab')
    >>> repository_of("https://code.example/someone/bnlab")
    """
    match = re.fullmatch(
        r"(?:git@github\.com:|(?:https|ssh)://(?:git@)?github\.com/)([^/]+/[^/]+?)(?:\.git)?/?", origin
    )
    return match and match[1]


def with_badge(readme: str, repository: str) -> str:
    """README with the badge of a repository below its heading, in place of an earlier one."""
    heading, _, rest = readme.partition("\n")
    lines = [line for line in rest.split("\n") if not line.startswith(BADGE)]
    text = "\n".join(lines).lstrip("\n")
    return f"{heading}\n\n{BADGE}({binder_url(repository)})\n\n{text}"


def main(folder: Path = ROOT) -> None:
    """Write the badge into the README of a clone."""
    asked = subprocess.run(["git", "remote", "get-url", "origin"], cwd=folder, capture_output=True, text=True)
    origin = asked.stdout.strip()
    repository = repository_of(origin)
    if repository is None:
        known = f"its origin is {origin!r}" if origin else "it has no origin"
        sys.exit(f"The badge needs a clone of a repository on GitHub; {known}: git remote add origin ADDRESS")
    readme = folder / "README.md"
    readme.write_text(with_badge(readme.read_text(encoding="utf-8"), repository), encoding="utf-8")
    print(f"README.md opens {binder_url(repository)}")


if __name__ == "__main__":
    main()
