"""Chart of missing values: what it shows is what the patterns count."""

import numpy as np
import pytest

from bnlab.data import gap_patterns, remove_values
from bnlab.figures import gaps_figure, still
from bnlab.figures.gaps import LONGEST, gaps_json
from bnlab.figures.labels import plain
from bnlab.figures.svg import shortened
from bnlab.networks import asia


def test_cells_and_bars_are_those_of_the_patterns():
    table = remove_values(asia().sample(300, seed=1), 0.2, seed=1, observed=["smoke"])
    found = gap_patterns(table)
    heat, above, beside = gaps_json(table, patterns=10, variables=5)["data"]
    names = list(found.columns[:5])
    assert heat["z"] == found[names].head(10).astype(int).to_numpy().tolist()
    np.testing.assert_allclose(above["y"], [100 * table.gaps[name] / 300 for name in names])
    assert beside["x"] == found.rows.head(10).tolist()
    title = gaps_json(table, patterns=10, variables=5)["layout"]["title"]["text"]
    assert title == f"Patterns of missing values: the 10 most frequent of {len(found)}, 5 of 7 variables"


def test_frames_give_the_same_chart_and_a_picture():
    table = remove_values(asia().sample(300, seed=1), 0.2, seed=1)
    frame = table.to_pandas().rename(columns={"asia": "<img src=x onerror=alert(1)>"})
    picture = str(still(gaps_figure(frame)).to_html())
    assert "<img src=x" not in gaps_figure(frame).layout.xaxis.ticktext[0]
    assert picture
    assert gaps_json(table) == gaps_json(table.to_pandas())


def test_a_name_that_is_cut_is_whole_under_the_mouse():
    name = "blood pressure <systolic> in the morning"
    frame = remove_values(asia().sample(50, seed=1), 0.2, seed=1).to_pandas()[["asia"]]
    chart = gaps_json(frame.rename(columns={"asia": name}))
    heat, above, _ = chart["data"]
    assert chart["layout"]["xaxis"]["ticktext"] == [plain(shortened(name, LONGEST))]
    whole = plain(name)
    assert heat["customdata"] == [[f"{whole}: observed"], [f"{whole}: missing"]]
    assert above["customdata"][0].startswith(f"{whole}: ")


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="no value is missing"):
        gaps_figure(asia().sample(5, seed=1))
