"""Files of the UCI data sets to DataFrames with named columns.

Attribute names are those of the .names and .doc files beside the data, in lower case with hyphens; the class column
is always the last and called "class". Numeric attributes are floats, except in letter and satimage, whose values are
small integers; nominal ones, and the class, are categoricals of the values that occur anywhere in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnlab._runtime.names import nearest
from bnlab.data.catalogue import fetch
from bnlab.data.catalogue import names as catalogue_names

if TYPE_CHECKING:
    import pandas as pd

CLASS = "class"


@dataclass(frozen=True)
class Layout:
    """What the files of one data set look like.

    Attributes
    ----------
    files : tuple of str
        Read one after the other.
    columns : tuple of str
        In file order.
    nominal : tuple of str
        Attributes that are names of states; those left are numeric.
    separator : str
        "," or " " (any run of blanks).
    skip : int
        Leading lines that are not data.
    whole : bool
        Whether the numeric attributes are kept as integers.
    id_column : str or None
        Row number, left out unless asked for.
    """

    files: tuple[str, ...]
    columns: tuple[str, ...]
    nominal: tuple[str, ...] = ()
    separator: str = ","
    skip: int = 0
    whole: bool = False
    id_column: str | None = None

    @property
    def numeric(self) -> tuple[str, ...]:
        """Attributes that UCI calls numeric."""
        return tuple(name for name in self.columns if name not in (*self.nominal, CLASS, self.id_column))


def _layout(
    folder: str,
    files: str,
    columns: str,
    nominal: str = "",
    separator: str = ",",
    skip: int = 0,
    whole: bool = False,
    id_column: str | None = None,
) -> Layout:
    names = tuple(columns.split())
    chosen = tuple(name for name in names if name != CLASS) if nominal == "all" else tuple(nominal.split())
    paths = tuple(f"uci/{folder}/{file}" for file in files.split())
    return Layout(paths, names, chosen, separator, skip, whole, id_column)


_SEGMENT = (
    "region-centroid-col region-centroid-row region-pixel-count short-line-density-5 short-line-density-2 vedge-mean "
    "vedge-sd hedge-mean hedge-sd intensity-mean rawred-mean rawblue-mean rawgreen-mean exred-mean exblue-mean "
    "exgreen-mean value-mean saturation-mean hue-mean"
)
_IRIS = "sepal-length sepal-width petal-length petal-width class"

LAYOUTS = {
    "letter": _layout(
        "letter",
        "letter-recognition.data",
        "class x-box y-box width high onpix x-bar y-bar x2bar y2bar xybar x2ybr xy2br x-ege xegvy y-ege yegvx",
        whole=True,
    ),
    "satimage": _layout(
        "satimage",
        "sat.trn sat.tst",
        " ".join(f"pixel{pixel}-band{band}" for pixel in range(1, 10) for band in range(1, 5)) + " class",
        separator=" ",
        whole=True,
    ),
    "chess": _layout(
        "chess",
        "kr-vs-kp.data",
        "bkblk bknwy bkon8 bkona bkspr bkxbq bkxcr bkxwp blxwp bxqsq cntxt dsopp dwipd hdchk katri mulch qxmsq r2ar8 "
        "reskd reskr rimmx rkxwp rxmsq simpl skach skewr skrxp spcop stlmt thrsk wkcti wkna8 wknck wkovl wkpos wtoeg "
        "class",
        nominal="all",
    ),
    "segment": _layout("segment", "segment.dat", f"{_SEGMENT} class", separator=" "),
    "segment-uci": _layout("segment", "segmentation.data segmentation.test", f"class {_SEGMENT}", skip=5),
    "vehicle": _layout(
        "vehicle",
        " ".join(f"xa{part}.dat" for part in "abcdefghi"),
        "compactness circularity distance-circularity radius-ratio pr-axis-aspect-ratio max-length-aspect-ratio "
        "scatter-ratio elongatedness pr-axis-rectangularity max-length-rectangularity scaled-variance-major-axis "
        "scaled-variance-minor-axis scaled-radius-of-gyration skewness-major-axis skewness-minor-axis "
        "kurtosis-minor-axis kurtosis-major-axis hollows-ratio class",
        separator=" ",
    ),
    "diabetes": _layout("diabetes", "pima-indians-diabetes.data", "preg plas pres skin insu mass pedi age class"),
    "soybean-large": _layout(
        "soybean-large",
        "soybean-large.data soybean-large.test",
        "class date plant-stand precip temp hail crop-hist area-damaged severity seed-tmt germination plant-growth "
        "leaves leafspots-halo leafspots-marg leafspot-size leaf-shread leaf-malf leaf-mild stem lodging stem-cankers "
        "canker-lesion fruiting-bodies external-decay mycelium int-discolor sclerotia fruit-pods fruit-spots seed "
        "mold-growth seed-discolor seed-size shriveling roots",
        nominal="all",
    ),
    "vote": _layout(
        "vote",
        "house-votes-84.data",
        "class handicapped-infants water-project-cost-sharing adoption-of-the-budget-resolution physician-fee-freeze "
        "el-salvador-aid religious-groups-in-schools anti-satellite-test-ban aid-to-nicaraguan-contras mx-missile "
        "immigration synfuels-corporation-cutback education-spending superfund-right-to-sue crime duty-free-exports "
        "export-administration-act-south-africa",
        nominal="all",
    ),
    "waveform": _layout("waveform", "waveform.data", " ".join(f"x{i}" for i in range(1, 22)) + " class"),
    "heart": _layout(
        "heart",
        "heart.dat",
        "age sex chest-pain resting-blood-pressure serum-cholesterol fasting-blood-sugar resting-ecg max-heart-rate "
        "exercise-angina oldpeak slope major-vessels thal class",
        nominal="sex chest-pain fasting-blood-sugar resting-ecg exercise-angina slope thal",
        separator=" ",
    ),
    "glass": _layout("glass", "glass.data", "Id RI Na Mg Al Si K Ca Ba Fe class", id_column="Id"),
    "iris": _layout("iris", "iris.data", _IRIS),
    "lymphography": _layout(
        "lymphography",
        "lymphography.data",
        "class lymphatics block-of-affere bl-of-lymph-c bl-of-lymph-s by-pass extravasates regeneration-of "
        "early-uptake-in lym-nodes-dimin lym-nodes-enlar changes-in-lym defect-in-node changes-in-node changes-in-stru "
        "special-forms dislocation-of exclusion-of-no no-of-nodes-in",
        nominal="all",
    ),
    "hepatitis": _layout(
        "hepatitis",
        "hepatitis.data",
        "class age sex steroid antivirals fatigue malaise anorexia liver-big liver-firm spleen-palpable spiders "
        "ascites varices bilirubin alk-phosphate sgot albumin protime histology",
        nominal="sex steroid antivirals fatigue malaise anorexia liver-big liver-firm spleen-palpable spiders ascites "
        "varices histology",
    ),
}


def read_uci(name: str, *, keep_id: bool = False) -> pd.DataFrame:
    """Data set of the UCI repository, as its files have it.

    Missing values ("?") are missing in the frame; the zeros of diabetes that stand for them are left as they are.

    Parameters
    ----------
    name : str
        Key of `LAYOUTS`.
    keep_id : bool
        Whether to keep the column of row numbers that glass has (the file is sorted by class, so that it gives the
        class away).
    """
    import pandas as pd

    layout = LAYOUTS[name]
    parts = [_read_text(file, layout) for file in layout.files]
    frame = pd.concat(parts, ignore_index=True)
    columns = {column: _typed(frame[column], column in layout.numeric, layout.whole) for column in frame}
    if layout.id_column is not None:
        row_number = columns.pop(layout.id_column)
        if keep_id:
            columns = {layout.id_column: row_number.cat.rename_categories(int).astype("int64"), **columns}
    label = columns.pop(CLASS)
    return pd.DataFrame({**columns, CLASS: label})


def _read_text(file: str, layout: Layout) -> pd.DataFrame:
    import pandas as pd

    return pd.read_csv(
        fetch(file),
        sep=r"\s+" if layout.separator == " " else ",",
        header=None,
        names=list(layout.columns),
        skiprows=layout.skip,
        dtype=str,
        na_values=["?"],
        keep_default_na=False,
    )


def _typed(column: pd.Series, numeric: bool, whole: bool) -> pd.Series:
    import pandas as pd

    if numeric:
        return column.astype("int64" if whole else "float64")
    try:
        numbers = pd.to_numeric(column)
    except ValueError:
        return column.astype("category")
    return numbers.astype("Int64").astype("category")


def _iris_bezdek() -> pd.DataFrame:
    """Corrected iris data; scikit-learn's copy has the values of bezdekIris.data in the same order."""
    import pandas as pd
    from sklearn.datasets import load_iris

    bunch = load_iris()
    frame = pd.DataFrame(bunch.data, columns=_IRIS.split()[:-1])
    names = [f"Iris-{species}" for species in bunch.target_names]
    return frame.assign(**{CLASS: pd.Categorical.from_codes(bunch.target, names)})


def _breast_cancer() -> pd.DataFrame:
    """Breast cancer Wisconsin (diagnostic), as it comes with scikit-learn."""
    import pandas as pd
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    frame = pd.DataFrame(bunch.data, columns=[name.replace(" ", "-") for name in bunch.feature_names])
    return frame.assign(**{CLASS: pd.Categorical.from_codes(bunch.target, list(bunch.target_names))})


BUNDLED: dict[str, Callable[[], pd.DataFrame]] = {"iris-bezdek": _iris_bezdek, "breast-cancer": _breast_cancer}


def read_named(name: str, *, keep_id: bool = False) -> pd.DataFrame:
    """Data set by its name, from the files of the catalogue or from what comes with scikit-learn.

    Raises
    ------
    ValueError
        Unknown name, or `keep_id` for a data set without row numbers.
    """
    if keep_id and (name not in LAYOUTS or LAYOUTS[name].id_column is None):
        raise ValueError(f"keep_id=True: {name!r} has no column of row numbers (glass has).")
    if name in BUNDLED:
        return BUNDLED[name]()
    if name not in LAYOUTS:
        if name in catalogue_names("mmhc"):
            raise ValueError(f"{name!r} is many samples of one network: take one by bnlab.data.mmhc_sample({name!r}).")
        raise ValueError(
            f"no data set is called {name!r}: {nearest(name, [*LAYOUTS, *BUNDLED])} (A file's path ends in .csv or "
            ".parquet.)"
        )
    return read_uci(name, keep_id=keep_id)


def numeric_columns(name: str) -> tuple[str, ...] | None:
    """Attributes that UCI calls numeric; None when all columns of floats are."""
    return LAYOUTS[name].numeric if name in LAYOUTS else None
