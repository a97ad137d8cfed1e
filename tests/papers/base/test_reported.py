"""The packaged tables hold what the papers print."""

from bnlab.papers.carvalho2007.reported import table1 as carvalho2007_table1
from bnlab.papers.carvalho2009.reported import table2 as carvalho2009_table2


def test_some_cells_are_as_printed():
    first = carvalho2007_table1().set_index(["dataset", "classifier"])
    assert first.loc[("letter", "C2G"), ["accuracy", "half_width"]].tolist() == [88.01, 0.90]
    assert first.loc[("glass", "TAN"), "score"] == "MDL"
    second = carvalho2009_table2().set_index(["dataset", "score"])
    assert second.loc[("soybean-large", "NML"), ["accuracy", "half_width"]].tolist() == [92.14, 1.14]
    assert second.index[0] == ("letter", "LL")
    assert second.index[-1] == ("hepatitis", "BDeu(16)")
