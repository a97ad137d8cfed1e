"""How `make test` shares the tests out among processes."""

from __future__ import annotations

from collections import Counter

from conftest import BROWSER, BROWSER_PARTS, LONG, place_in_line, place_of_browser_test


def test_browser_tests_are_whole_files_in_equal_parts_and_go_first() -> None:
    files = sorted(BROWSER.glob("test_*.py"))
    parts = Counter(place_of_browser_test(f"tests/browser/{file.name}::test_a[1]") for file in files)
    assert len(parts) == BROWSER_PARTS
    assert max(parts.values()) - min(parts.values()) <= 1
    notebook, long = BROWSER.parents[1] / "notebooks" / "00_tour.ipynb", LONG[0] / "test_leaks.py"
    places = [place_in_line(path) for path in (*files, notebook, long, BROWSER.parent / "test_shares.py")]
    assert places == sorted(places)
    assert all(path.exists() for path in (notebook, long, *LONG))


def test_other_tests_are_in_no_part() -> None:
    assert place_of_browser_test("tests/test_shares.py::test_a") == ""
    assert place_of_browser_test("notebooks/00_tour::ipynb::Cell 0") == ""
