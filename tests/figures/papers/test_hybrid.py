"""Quality against time, with and without a super-structure: the numbers, and what is drawn of them."""

from __future__ import annotations

import pandas as pd
import pytest

from bnlab.figures import hybrid_data, hybrid_figure


@pytest.fixture(scope="module")
def records() -> pd.DataFrame:
    rows = [
        {
            "network": network,
            "copies": 1,
            "search": "k2",
            "score": "bdeu",
            "restriction": restriction,
            "rows": size,
            "version": version,
            "seconds": size / 1000 + version,
            "shd_cpdag": 10 * version + len(restriction),
            "gap": -1.0,
            "sn": 0.5,
            "sp": 0.5,
        }
        for network in ("Child", "<b>")
        for restriction in ("unrestricted", "opthpc", "true skeleton")
        for size in (1000, 500)
        for version in (1, 2, 3)
    ]
    return pd.DataFrame(rows)


def test_points_are_means_with_the_least_and_the_greatest(records):
    data = hybrid_data(records)
    point = data.points[(data.points.panel == "Child") & (data.points.restriction == "opthpc")].iloc[0]
    assert point.to_dict() == {
        "panel": "Child",
        "restriction": "opthpc",
        "rows": 1000,
        "seconds": 3.0,
        "value": 26.0,
        "low": 16,
        "high": 36,
        "samples": 3,
    }


def test_a_line_a_restriction_runs_through_growing_sizes_in_each_panel(records):
    figure = hybrid_figure(hybrid_data(records))
    assert [trace.name for trace in figure.data] == ["unrestricted", "within OptHPC", "within the truth"] * 2
    assert [trace.showlegend for trace in figure.data] == [True] * 3 + [False] * 3
    assert list(figure.data[0].x) == [2.5, 3.0]
    assert (
        len({trace.marker.color for trace in figure.data}) == len({trace.marker.symbol for trace in figure.data}) == 3
    )
    assert [a.text for a in figure.layout.annotations] == ["Child", "&lt;b&gt;"]
    assert figure.layout.xaxis.type == "log"


def test_panels_may_be_searches(records):
    child = records[records.network == "Child"]
    both = pd.concat([child, child.assign(search="chen")])
    figure = hybrid_figure(hybrid_data(both, "gap", panel="search"))
    assert [a.text for a in figure.layout.annotations] == ["K2", "Chen's search"]


def test_what_the_figure_cannot_tell_apart_is_refused(records):
    with pytest.raises(ValueError, match="'k2', 'chen' for search"):
        hybrid_data(pd.concat([records, records.assign(search="chen")]))
    with pytest.raises(ValueError, match="for network: select one"):
        hybrid_data(records, panel="search")
    with pytest.raises(ValueError, match="none for score"):
        hybrid_data(records[:0])
    with pytest.raises(ValueError, match="did you mean 'shd_cpdag'"):
        hybrid_data(records, "shd_cpdg")
    with pytest.raises(ValueError, match="'network' or of a 'search'"):
        hybrid_data(records, panel="size")
