"""Project addresses in the metadata of a build: those of the repository that it is built from.

GitHub Actions names the repository; elsewhere the metadata has no address, and nothing here invents one.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


def project_urls(server: str, repository: str) -> dict[str, str]:
    """Labels and addresses.

    Parameters
    ----------
    server, repository : str
        As ``GITHUB_SERVER_URL`` and ``GITHUB_REPOSITORY`` have them; empty when unknown.

    Examples
    --------
    >>> project_urls("https://code.example", "someone/bnlab")["Issues"]
    'https://code.example/someone/bnlab/issues'
    >>> project_urls("", "")
    {}
    """
    if not (server and repository):
        return {}
    source = f"{server}/{repository}"
    urls = {
        "Source": source,
        "Issues": f"{source}/issues",
        "Changelog": f"{source}/blob/main/CHANGELOG.md",
    }
    if server == "https://github.com":
        urls["Notebooks on Binder"] = binder_url(repository)
    return urls


def binder_url(repository: str) -> str:
    """Address at which Binder opens the start page of the notebooks of a repository on GitHub.

    Examples
    --------
    >>> binder_url("someone/bnlab")
    'https://mybinder.org/v2/gh/someone/bnlab/HEAD?urlpath=lab/tree/notebooks/index.ipynb'
    """
    return f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/notebooks/index.ipynb"


class ProjectUrls(MetadataHookInterface):
    """Hatch calls it for each build."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses to the project's metadata."""
        names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY")
        metadata["urls"] = project_urls(*(os.environ.get(name, "") for name in names))
