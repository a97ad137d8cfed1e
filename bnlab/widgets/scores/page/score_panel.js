// Page of a score panel.
// @ts-check
import { chart } from "../../base/page/chart.js";
import { button, form, html, line, message, progress, select, slider, toggle } from "../../base/page/kit.js";
import { h } from "../../base/page/preact.js";
import { widget } from "../../base/page/widget.js";

/** @typedef {import("./score_panel_types.js").Page} Page */
/** @typedef {import("./score_panel_types.js").Message} Message */

const CHARTS = /** @type {const} */ (["ess", "scores", "nodes", "rows"]);

/** @param {import("../../base/page/widget.js").View<Page, Message>} view */
function ScorePanel({ page, send }) {
  const set = (/** @type {string} */ name) => (/** @type {unknown} */ value) => send({ type: "Set", name, value });
  const charts = CHARTS.map((name) =>
    chart({
      ...page[name],
      key: name,
      click: ({ index, x }) => send({ type: "Click", chart: name, index, x }),
      hover: name === "nodes" ? (point) => send({ type: "Point", index: point && point.index }) : undefined,
    }),
  );
  return h("div", { class: "bnlab-score-panel" }, [
    form(
      "Scores",
      line(...page.sliders.map(({ name, ...props }) => slider({ ...props, key: name, change: set(name) }))),
      line(...page.lists.map(({ name, ...props }) => select({ ...props, key: name, change: set(name) }))),
      line(
        ...page.networks.map(({ name, ...props }) =>
          toggle({ ...props, key: name, change: (shown) => send({ type: "Show", network: name, shown }) }),
        ),
      ),
      line(
        button({ ...page.optimum, press: () => send({ type: "FindOptimum" }) }),
        page.search !== null &&
          button({
            label: "Stop",
            tip: "Stop the exact search; the bound so far stays",
            press: () => send({ type: "StopOptimum" }),
          }),
        page.search !== null && progress({ label: "Progress of the exact search", share: null, text: page.search }),
      ),
      message({ text: page.distance, role: "status" }),
      message({ text: page.status, role: "status" }),
    ),
    h("p", { class: "bnlab-sentence", "aria-live": "polite" }, page.sentence),
    h("div", { class: "bnlab-charts" }, charts),
    html({ content: page.tables }),
  ]);
}

export default widget(ScorePanel);
