"""Suspects of a reported column, and what the best of many explains by chance."""

import numpy as np
import pandas as pd

from bnlab.papers.base.forensics import columns_explained


def planted(rows=12, suspects=60, columns="ABC"):
    """A table of noise whose column A was computed by one of many suspects, for the item C."""
    draw = np.random.default_rng(3)
    reported = pd.DataFrame(draw.uniform(60, 95, (rows, len(columns))), columns=list(columns))
    names = pd.MultiIndex.from_product([[f"suspect {i}" for i in range(suspects)], list(columns)])
    computed = pd.DataFrame(draw.uniform(60, 95, (rows, len(names))), columns=names)
    computed["suspect 7", "C"] = reported.A + draw.uniform(-1, 1, rows)
    return reported, 0 * reported + 2.0, computed


def test_the_suspect_behind_a_column_is_found_although_columns_are_mixed_up():
    found = columns_explained(*planted(), permutations=300)
    best = found.groupby("column").first()
    assert best.loc["A", ["protocol", "item", "explained", "rows"]].tolist() == ["suspect 7", "C", 12, 12]
    assert best.loc["A", "p_any"] == 0
    assert best.loc["A", "by_chance"] < 8


def test_the_best_of_many_suspects_of_a_column_of_noise_is_no_better_than_chance():
    best = columns_explained(*planted(), permutations=300).groupby("column").first()
    assert (best.loc[["B", "C"], "p"] > 0.05).all()
    assert (best.p_any >= best.p).all()
    assert best.loc["B", "explained"] >= 3


def test_a_suspect_of_another_item_is_left_out_on_demand():
    found = columns_explained(*planted(), own=True, permutations=50)
    assert (found.column == found["item"]).all()
    assert found[found.column == "A"].explained.max() < 12


def test_a_row_without_a_computed_value_is_not_explained():
    reported, half, computed = planted()
    computed.loc[0, ("suspect 7", "C")] = np.nan
    assert columns_explained(reported, half, computed, permutations=10).explained.iloc[0] == 11
