"""What a score panel shows for its settings: frames, figures, tables and sentences."""

from __future__ import annotations

from html import escape
from math import ceil, floor, log10
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
import pandas as pd

from bnlab.counts.cache import BoundedCache
from bnlab.figures.labels import SCORE_LABELS
from bnlab.figures.scores import differences as figures
from bnlab.figures.scores.differences import MEANING, bayesian, strength, times
from bnlab.figures.scores.ess import EssData, ess_data, ess_json, ess_picture, ess_words, written_ess
from bnlab.figures.scores.sample_size import PrefixScores, rows_json
from bnlab.figures.table import GOOD, HtmlTable, html_table, signed
from bnlab.graphs.dag import counted
from bnlab.learners.exact.optimum import GapSearch, Optimum, gap_search, gap_sentence
from bnlab.scores import local_scores
from bnlab.widgets.base.plotly_js import title_of

Chart = Literal["ess", "scores", "nodes", "rows"]
CHARTS: tuple[Chart, ...] = ("ess", "scores", "nodes", "rows")
BEST_MARK = "★"
ESS_DECADES = (-2, 4)
PER_DECADE = 10
CACHED = 8
LEAST_PARENTS = 3
"""Smallest limit on the number of parents per variable in an exact search."""


class Drawn(TypedDict):
    """A chart as JSON for plotly, and its text alternative."""

    figure: dict[str, Any]
    description: str


class Settings(NamedTuple):
    """Values of the controls of a panel."""

    ess: float
    alpha: float
    n_rows: int
    reference: str | None
    score: str
    selected: tuple[str, ...]
    hovered: str | None = None


class ScoreContent:
    """Numbers, charts and texts for any settings. Slow results are cached."""

    def __init__(self, scores: PrefixScores) -> None:
        self.scores = scores
        self.networks = tuple(scores.all.networks)
        self._totals: BoundedCache[Any, pd.DataFrame] = BoundedCache(CACHED)
        self._ess: BoundedCache[Any, EssData] = BoundedCache(CACHED)

    def label(self, score: str, settings: Settings) -> str:
        """Name of a score with its current parameter."""
        if score == "mit":
            return f"{kind(score)}({settings.alpha:g})"
        if score in ("bdeu", "bde"):
            return f"{kind(score)}({written_ess(settings.ess)})"
        return kind(score)

    def labels(self, settings: Settings) -> list[str]:
        """Names of all scores with their current parameters."""
        return [self.label(score, settings) for score in self.scores.all.scores]

    def totals(self, settings: Settings) -> pd.DataFrame:
        """Scores of all networks, shown or not, shape (networks, scores)."""
        key = settings.n_rows, settings.ess, settings.alpha
        totals = self._totals.get(key)
        if totals is None:
            totals = self.scores.at(settings.n_rows).totals(ess=settings.ess, alpha=settings.alpha)
            self._totals.put(key, totals)
        return totals

    def frame(self, settings: Settings) -> pd.DataFrame:
        """Scores of the shown networks, shape (networks, scores)."""
        return self.totals(settings).loc[list(settings.selected)]

    def _compared(self, settings: Settings) -> list[str]:
        """Names of the shown networks and of the reference, which may be hidden."""
        return list(dict.fromkeys([*settings.selected, settings.reference or settings.selected[0]]))

    def differences(self, settings: Settings) -> pd.DataFrame:
        """Scores minus those of the reference, shape (networks, scores)."""
        totals = self.totals(settings).loc[self._compared(settings)]
        return figures.differences_data(totals, settings.reference).loc[list(settings.selected)]

    def local(self, settings: Settings, score: str) -> pd.DataFrame:
        """Local scores, shape (nodes, networks), of all networks."""
        return self.scores.at(settings.n_rows).local(score, ess=settings.ess, alpha=settings.alpha)

    def reference(self, settings: Settings) -> str:
        """Network that nodes are compared with: the chosen reference, or else the best shown network."""
        return settings.reference or self.best(settings)[0]

    def contributions(self, settings: Settings) -> pd.DataFrame:
        """Local scores minus those of the reference; nodes with the largest differences come first."""
        reference = self.reference(settings)
        shown = self.local(settings, settings.score)[self._compared(settings._replace(reference=reference))]
        return figures.contributions_data(shown, reference)

    def nodes(self, settings: Settings) -> list[str]:
        """Nodes in the order of the chart's rows."""
        return [str(node) for node in figures.shown_nodes(self.contributions(settings), hovered=settings.hovered).index]

    def ess_range(self, settings: Settings) -> tuple[int, int]:
        """Exponents of ten at the ends of the range of ess, which contains the current ess."""
        low, high = ESS_DECADES
        place = log10(settings.ess)
        return min(low, floor(place)), max(high, ceil(place))

    def _ess_key(self, settings: Settings) -> tuple[Any, ...]:
        return ess_score(settings.score), settings.n_rows, settings.selected, self.ess_range(settings)

    def over_ess(self, settings: Settings) -> EssData:
        """Scores of the shown networks over ess, with the exact values where the best network changes."""
        key = self._ess_key(settings)
        data = self._ess.get(key)
        if data is None:
            name, n_rows, selected, (low, high) = key
            scores = self.scores.at(n_rows)
            which = [self.networks.index(network) for network in selected]
            grid = np.logspace(low, high, PER_DECADE * (high - low) + 1)
            totals = scores.over_ess(grid, name)[list(selected)]
            data = ess_data(totals, lambda ess: scores.at_ess(ess, name)[which])
            self._ess.put(key, data)
        return data

    def gap_search(self, settings: Settings) -> GapSearch:
        """Exact search under the chosen score, with at most as many parents as in any network, or 3."""
        scores = self.scores.all
        score = scores.score(settings.score, ess=settings.ess, alpha=settings.alpha)
        most = max([LEAST_PARENTS, *(len(parents) for dag in scores.networks.values() for parents in dag.parents)])
        limit = min(most, len(scores.nodes) - 1)
        return gap_search(local_scores(self.scores.data(settings.n_rows), score), max_parents=limit)

    def gap_sentence(self, found: Optimum, settings: Settings) -> str:
        """Sentence about the distances of the shown networks from the optimum."""
        shown = {name: self.scores.all.networks[name] for name in settings.selected}
        return f"{self._under(settings)}, {gap_sentence(found, shown)}"

    def _under(self, settings: Settings) -> str:
        rows = self._data_text(settings).partition(", ")[2]
        return f"Under {self.label(settings.score, settings)} on {rows}"

    def over_rows(self, settings: Settings) -> pd.DataFrame:
        """Totals of the networks under the chosen score, shape (numbers of rows, all networks)."""
        options = {"ess": settings.ess, "alpha": settings.alpha}
        rows = [self.scores.at(n).total(settings.score, **options) for n in self.scores.sizes]
        return pd.DataFrame(rows, index=list(self.scores.sizes), columns=list(self.networks))

    def chart(self, name: Chart, settings: Settings, *, legend: bool = True) -> dict[str, Any]:
        """One of the charts as JSON for plotly."""
        reference, label = settings.reference, self.label(settings.score, settings)
        common: dict[str, Any] = {"order": self.networks, "legend": legend}
        if name == "ess":
            return ess_json(self.over_ess(settings), title=ess_title(settings), ess=settings.ess, **common)
        if name == "scores":
            return figures.differences_json(
                self.differences(settings), reference, labels=self.labels(settings), **common
            )
        if name == "rows":
            totals = self.over_rows(settings)[self._compared(settings)]
            differences = figures.differences_data(totals.T, reference).T[list(settings.selected)]
            return rows_json(differences, label, reference, n_rows=settings.n_rows, **common)
        found = self.contributions(settings)
        return figures.contributions_json(found, self.reference(settings), label, hovered=settings.hovered, **common)

    def drawn(self, name: Chart, settings: Settings) -> Drawn:
        """Chart for the page, which has a legend of its own."""
        figure = self.chart(name, settings, legend=False)
        return {"figure": figure, "description": title_of(figure)}

    def tables(self, settings: Settings) -> str:
        """Tables of scores and of log Bayes factors, as HTML."""
        return f"{self._scores_table(settings).html}{self._factors_table(settings).html}"

    def _scores_table(self, settings: Settings) -> HtmlTable:
        totals = self.frame(settings)
        texts = totals.T.map(lambda value: f"{value:,.2f}".replace("-", "−"))
        texts = texts.mask(figures.differences_data(totals).T == 0, lambda text: f"{BEST_MARK}\u00a0" + text)
        caption = f"In nats, greater is better; {BEST_MARK} is the best of its row. {self._data_text(settings)}."
        return self._table("Score", texts, settings, caption)

    def _factors_table(self, settings: Settings) -> HtmlTable:
        differences = self.differences(settings)
        texts = differences[bayesian(differences.columns)].map(signed).T
        caption = f"Log Bayes factors against {figures.against(settings.reference)}, in nats. {MEANING}"
        return self._table("Log Bayes factor", texts, settings, caption)

    def _table(self, corner: str, texts: pd.DataFrame, settings: Settings, caption: str) -> HtmlTable:
        """Table with one row per score and one column per network; the best scores are marked."""
        networks = list(texts.columns)
        texts.insert(0, corner, [self.label(score, settings) for score in texts.index], allow_duplicates=True)
        return html_table(
            texts,
            right=networks,
            grounds=lambda _, text: GOOD if text.startswith(BEST_MARK) else None,
            caption=caption,
        )

    def _data_text(self, settings: Settings) -> str:
        n, total = settings.n_rows, self.scores.all.n_rows
        rows = f"{n:,} rows" if n == total else f"the first {n:,} of {total:,} rows"
        return f"{counted(len(self.scores.all.nodes), 'variable')}, {rows}"

    def sentence(self, settings: Settings) -> str:
        """Best network, its lead, the meaning of that lead, and the values of ess where the best network changes."""
        under = kind(ess_score(settings.score))
        return f"{self._lead(settings)} Under {under}, {ess_words(self.over_ess(settings))}."

    def best(self, settings: Settings) -> list[str]:
        """Names of the best networks under the chosen score; differences by rounding do not count."""
        best = figures.differences_data(self.frame(settings))[settings.score] == 0
        return [str(name) for name in best.index[best]]

    def _lead(self, settings: Settings) -> str:
        totals = self.frame(settings)[settings.score].sort_values(ascending=False, kind="stable")
        under = self._under(settings)
        best, values = str(totals.index[0]), totals.to_numpy()
        equal = [f"“{name}”" for name in self.best(settings)]
        if len(values) == 1:
            return f"{under}, “{best}” scores {signed(values[0])} nats."
        if len(equal) == len(values):
            which = "both" if len(equal) == 2 else f"all {len(equal)}"
            return f"{under}, {which} networks have the same score, {signed(values[0])} nats."
        if len(equal) > 1:
            names = f"{', '.join(equal[:-1])} and {equal[-1]}"
            return f"{under}, {names} have the same, best score, {signed(values[0])} nats."
        lead, second = float(values[0] - values[1]), str(totals.index[1])
        words = f"{under}, “{best}” is best, {lead:,.2f} nats ahead of “{second}”."
        if not bayesian([settings.score]):
            return words
        return (
            f"{words} That is a log Bayes factor: the data are {times(lead)} as probable under “{best}” as under "
            f"“{second}” ({strength(lead)}, in the words of Kass and Raftery 1995)."
        )

    def still(self, settings: Settings) -> str:
        """Summary, pictures and tables as HTML, for front ends without charts."""
        order, labels = self.networks, self.labels(settings)
        pictures = [
            ess_picture(self.over_ess(settings), title=ess_title(settings), order=order),
            figures.differences_picture(self.differences(settings), settings.reference, labels=labels, order=order),
        ]
        drawn = "".join(f"<div>{picture.to_html()}</div>" for picture in pictures)
        return f"<div><p>{escape(self.sentence(settings))}</p>{drawn}{self.tables(settings)}</div>"


def kind(score: str) -> str:
    """Name of a score without its parameter.

    Examples
    --------
    >>> kind("bdeu"), kind("bic")
    ('BDeu', 'BIC/MDL')
    """
    return {"bde": "BDe", "bd": "BD"}.get(score) or SCORE_LABELS[score].partition("(")[0]


def ess_score(score: str) -> str:
    """Score whose chart over ess is shown when `score` is chosen."""
    return "bde" if score == "bde" else "bdeu"


def ess_title(settings: Settings) -> str:
    """Title of the chart over ess."""
    return f"Best network over ess, under {kind(ess_score(settings.score))}"
