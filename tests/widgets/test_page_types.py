"""The types that the pages are checked with are those of the Python code."""

from __future__ import annotations

import pytest

from tools.page_types import WIDGETS, path_of, text


@pytest.mark.parametrize("page", WIDGETS)
def test_the_types_of_a_page_are_those_of_its_widget(page: str) -> None:
    assert path_of(page).read_text(encoding="utf-8") == text(page), "run python -m tools.page_types"
