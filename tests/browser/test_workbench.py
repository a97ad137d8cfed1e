"""The workbench in a real JupyterLab: a file is uploaded and learned from, by mouse and by keys alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

import bnlab
from tests.browser.shown import EMPTY_WORKBENCH
from tools.lab import Lab

HOSTILE = "<img src=x onerror=alert(1)>"
SECOND = '"); drop'


def write_csv(path: Path) -> None:
    frame = (
        bnlab.load_network("asia")
        .sample(600, seed=1)
        .to_pandas()
        .astype(str)
        .rename(columns={"asia": HOSTILE, "dysp": SECOND})
    )
    frame["smoke"] = frame["smoke"].replace({"yes": HOSTILE, "no": SECOND})
    frame["age"] = np.random.default_rng(0).normal(50, 12, len(frame)).round(1)
    frame["id"] = [f"p{i}" for i in range(len(frame))]
    frame.to_csv(path, index=False)


def test_a_file_is_uploaded_learned_from_and_its_network_seen(lab: Lab, page: Page) -> None:
    write_csv(lab.root / "patients.csv")
    notebook = lab.run(page, "workbench.ipynb", [EMPTY_WORKBENCH])
    shown = notebook.output(0)

    with page.expect_file_chooser() as chooser:
        shown.get_by_role("button", name="Drop a file here").click()
    chooser.value.set_files(lab.root / "patients.csv")
    expect(shown.get_by_text("patients.csv: 600 rows, 10 columns").first).to_be_visible()
    expect(shown.get_by_role("tab", name="Variables")).to_have_attribute("aria-selected", "true")
    expect(shown.get_by_role("tab", name="Trust")).to_have_attribute("aria-disabled", "true")
    expect(shown.get_by_role("group", name="Histogram of age")).to_be_visible()
    shown.get_by_role("button", name="Learn network").click()
    expect(shown.get_by_role("tab", name="Compare")).to_have_attribute("aria-selected", "true", timeout=60_000)
    expect(shown.get_by_role("radio", name="Exact search, BIC")).to_be_checked(timeout=60_000)
    # Those of other steps stay chosen too.
    chosen = shown.locator(".bnlab-chosen input[type=radio]")
    assert chosen.evaluate_all("radios => radios.map(radio => radio.checked)") == [True, True]
    nodes = shown.locator(".bn-nodes > g")
    expect(nodes.filter(has_text="smoke").first).to_be_visible()
    assert notebook.python("sorted(workbench.networks)") == ["Exact search, BIC"]
    assert {HOSTILE, SECOND} <= set(notebook.python("workbench.table.names"))
    shown.get_by_role("tab", name="Variables").click()
    expect(shown.get_by_role("tab", name="Variables")).to_have_attribute("aria-selected", "true")
    shown.get_by_role("row", name="smoke").locator("visible=true").first.hover()
    expect(page.locator("img[src='x'], [onerror]")).to_have_count(0)

    shown.get_by_role("tab", name="Compare").press("ArrowLeft")
    shown.get_by_label("Learner").select_option(label="Hill climbing")
    shown.get_by_label("Restarts").fill("100000")
    shown.get_by_label("Restarts").press("Tab")
    shown.get_by_role("button", name="Learn", exact=True).press("Enter")
    stop = shown.get_by_role("region", name="Learn a network").get_by_role("button", name="Stop")
    expect(stop).to_have_attribute("aria-disabled", "false")
    expect(shown.locator(".bnlab-convergence .bnlab-chart")).to_be_visible(timeout=60_000)
    expect(shown.locator(".bn-graph")).to_have_count(2)
    stop.click()
    expect(shown.get_by_role("status").filter(has_text="Stopped early")).to_be_visible()
    expect(shown.locator(".bnlab-convergence")).to_have_count(0)
    expect(shown.get_by_role("radio", name="(stopped early)")).to_be_checked(timeout=60_000)
    expect(shown.get_by_role("heading", name="All networks")).to_be_visible()


NAME = """() => {
  const at = document.activeElement;
  return at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent;
}"""


def test_the_keyboard_alone_leads_from_a_file_to_a_report(lab: Lab, page: Page) -> None:
    bnlab.load_network("asia").sample(500, seed=1).to_pandas().to_csv(lab.root / "asia.csv", index=False)
    notebook = lab.run(page, "keys.ipynb", [EMPTY_WORKBENCH])
    shown = notebook.output(0)

    def reach(name: str, key: str = "Tab") -> None:
        for _ in range(30):
            if page.evaluate(NAME) == name:
                return
            page.keyboard.press(key)
        raise AssertionError(f"{key} does not lead to {name}")

    shown.get_by_role("tab", name="Data").focus()
    reach("or path")
    page.keyboard.type("asia.csv")
    reach("Load")
    page.keyboard.press("Enter")
    expect(shown.get_by_role("tab", name="Variables")).to_have_attribute("aria-selected", "true")
    reach("Learn network", "Shift+Tab")
    page.keyboard.press("Enter")
    confidence = shown.get_by_role("button", name="Check edge confidence")
    expect(confidence).to_be_visible(timeout=60_000)
    reach("Check edge confidence")
    page.keyboard.press("Enter")
    save = shown.get_by_role("button", name="Save report").first
    expect(save).to_be_visible(timeout=60_000)
    reach("Save report")
    page.keyboard.press("Enter")
    expect(shown.get_by_role("status").filter(has_text="analysis.html")).to_be_visible()
    assert "100 networks from resampled rows" in (lab.root / "analysis.html").read_text()
