"""Reports as PDF and PNG files: two pages for a usual table, the findings as text, and a way out without a browser."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from pypdf import PdfReader

import bnlab
from bnlab.analysis import Preparation, Recipe, Study, findings
from bnlab.figures import printed
from bnlab.figures.report import Report, study_report
from bnlab.learners import Bootstrap
from bnlab.search import run
from tests.browser.test_import import titanic

LIGATURES = {"ﬁ": "fi", "ﬂ": "fl"}


def test_a_report_of_a_usual_table_has_two_pages_and_its_findings_as_text(chromium: str, tmp_path: Path) -> None:
    frame, target = pd.read_csv(io.BytesIO(titanic())), "Survived"
    preparation = replace(Preparation.suggested(frame), target=target)
    table, recipe, name = preparation.apply(frame), Recipe("hill-climbing"), "Hill climbing, BIC"
    study = Study("", table.fingerprint, preparation).with_result(name, recipe, recipe.learn(table))
    found = run(Bootstrap(table, partial(bnlab.learn, algorithm="hill-climbing"), replicates=20, seed=0))
    study = replace(study, confidence={name: found})
    validation = bnlab.cross_validate(table, {name: "hill-climbing"}, folds=5, target=target)
    report = study_report(study, frame, title="All that was found", validation=validation)
    report.save(tmp_path / "report.pdf")

    pages = PdfReader(tmp_path / "report.pdf").pages
    assert len(pages) <= 2
    first, text = (" ".join(pages[0].extract_text().split()), " ".join(p.extract_text() for p in pages))
    for ligature, letters in LIGATURES.items():
        first, text = first.replace(ligature, letters), text.replace(ligature, letters)
    sentences = [sentence.text for sentence in findings(study, name, validation)]
    assert len(sentences) == 4
    for sentence in ("All that was found", *sentences):
        assert sentence in first
    for u, v in study.as_class(name).edges:
        assert f"{u} – {v}" in first or f"{u} → {v}" in first
    heads = ("Held-out rows", "Data", "Limits", "Code")
    assert sorted(heads, key=text.index) == list(heads)
    width, height = (float(length) / 72 * 25.4 for length in pages[0].mediabox[2:])
    assert (round(width), round(height)) == (210, 297)


def test_a_report_is_one_picture_whose_scripts_have_not_run(chromium: str, tmp_path: Path) -> None:
    script = "<script>document.body.style.background = '#f00'</script>"
    Report(f"<body style='background: #00f; height: 1500px; margin: 0'>{script}</body>").save(tmp_path / "report.png")
    picture = Image.open(tmp_path / "report.png").convert("RGB")
    assert picture.height == 3000
    assert picture.getcolors() == [(picture.width * picture.height, (0, 0, 255))]


def test_without_a_browser_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    monkeypatch.setattr(printed, "CHANNELS", ())  # one of them may be installed where no variable hides it
    with pytest.raises(OSError, match=r"playwright install chromium, or write it as \.html"):
        Report("<p>text</p>").save(tmp_path / "report.pdf")
    assert not (tmp_path / "report.pdf").exists()


def test_without_playwright_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(ImportError, match=r"pip install 'bnlab\[pdf\]', or write it as \.html"):
        Report("<p>text</p>").save(tmp_path / "report.pdf")
    Report("<p>text</p>").save(tmp_path / "report.html")
