"""The files around a release agree with each other and with pyproject.toml."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

from tools.urls import project_urls

ROOT = Path(__file__).parent.parent
BUILD: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT: dict[str, Any] = BUILD["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def requirements(lines: list[str]) -> dict[str, str]:
    """Package to its range, which is written in no order."""
    found = [Requirement(line) for line in lines]
    return {requirement.name: str(requirement.specifier) for requirement in found}


def test_the_next_version_is_the_same_everywhere() -> None:
    version = BUILD["tool"]["hatch"]["version"]["raw-options"]["fallback_version"].removesuffix(".dev0")
    assert str(read(ROOT / "CITATION.cff")["version"]) == version
    assert str(read(ROOT / "conda" / "recipe.yaml")["context"]["version"]) == version
    extension = json.loads((ROOT / "bnlab" / "widgets" / "lab" / "package.json").read_text(encoding="utf-8"))
    assert extension["version"] == version
    assert f"## Unreleased ({version})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_conda_recipe_needs_what_the_wheel_needs() -> None:
    recipe = read(ROOT / "conda" / "recipe.yaml")
    run = [line for line in recipe["requirements"]["run"] if not line.startswith("python ")]
    assert requirements(run) == requirements(PROJECT["dependencies"])
    host = requirements(recipe["requirements"]["host"])
    assert requirements(BUILD["build-system"]["requires"]).items() <= host.items()
    assert f"python {PROJECT['requires-python']}" in recipe["requirements"]["run"]
    command, called = next(iter(PROJECT["scripts"].items()))
    assert recipe["build"]["python"]["entry_points"] == [f"{command} = {called}"]


def test_every_work_that_the_paper_cites_is_in_its_bibliography() -> None:
    text = (ROOT / "paper.md").read_text(encoding="utf-8")
    cited = set(re.findall(r"@([a-z]+\d{4})", text))
    assert cited == set(re.findall(r"^@\w+\{([^,]+),", (ROOT / "paper.bib").read_text(encoding="utf-8"), re.MULTILINE))
    _, front, body = text.split("---\n", 2)
    assert yaml.safe_load(front)["bibliography"] == "paper.bib"
    assert "# Summary" in body
    assert "# Statement of need" in body
    assert 250 <= len(body.split()) <= 1000  # what the journal asks for


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_calls_nothing_but_make_targets_and_says_that_it_has_not_been_run(path: Path) -> None:
    assert "This workflow has not been run yet" in path.read_text(encoding="utf-8").splitlines()[0]
    targets = set(re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for job in read(path)["jobs"].values():
        for step in job["steps"]:
            if "run" in step:
                assert re.match(r"make (\w+) PYTHON=python", step["run"])[1] in targets  # type: ignore[index]
            else:
                assert re.fullmatch(r"(actions|pypa)/[\w-]+@[\w/.]+", step["uses"])


def test_publishing_needs_no_stored_password() -> None:
    publish = read(ROOT / ".github" / "workflows" / "release.yml")["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_addresses_come_from_the_repository_that_builds() -> None:
    assert project_urls("", "") == {}
    for server, number in (("https://code.example", 3), ("https://github.com", 4)):
        urls = project_urls(server, "someone/copy")
        assert len(urls) == number
        assert all("someone/copy" in url for url in urls.values())
    assert "urls" in PROJECT["dynamic"]
