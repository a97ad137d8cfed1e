"""Confusion matrices as tables."""

from __future__ import annotations

import pandas as pd
import pytest

from bnlab.figures.contingency import confusion_table

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def counts() -> pd.DataFrame:
    return pd.DataFrame([[8, 2, 0], [0, 1500, 0]], index=["no", HOSTILE], columns=["no", HOSTILE, "none"])


def test_the_table_shows_counts_and_the_share_that_is_right(counts: pd.DataFrame) -> None:
    table = confusion_table(counts)
    assert ">1,500</td>" in table.html
    assert [share for share in ("80%", "100%") if f">{share}</td>" in table.html] == ["80%", "100%"]
    assert "2 rows of class no predicted as &lt;img" in table.html
    assert "<img" not in table.html


def test_a_cell_is_the_darker_the_more_rows_it_holds(counts: pd.DataFrame) -> None:
    html = confusion_table(counts).html
    assert "rgba(27, 93, 228, 0.6)" in html
    assert "rgba(189, 48, 9, 0.268)" in html


def test_a_class_without_rows_has_no_share() -> None:
    empty = pd.DataFrame([[0, 0], [1, 0]], index=["a", "b"], columns=["a", "b"])
    assert ">0%</td>" in confusion_table(empty).html
