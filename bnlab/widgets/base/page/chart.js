// Chart of a plotly figure in a page of components.
// @ts-check
import { embedded } from "./embedded.js";
import { chartView } from "./plotly_chart.js";

/** @typedef {{ trace: string, trace_index: number, index: any, x: any, y: any, customdata: any }} Point */

/** @typedef {{ figure: any, description: string, click: (point: Point) => void, hover?: (point: Point | null) => void }} Chart */

/**
 * Chart of a figure as JSON, with its text alternative. It reports the point that is clicked or under the mouse.
 * @param {Chart & { key?: string }} props
 */
export const chart = ({ key, figure, description, click, hover }) =>
  embedded({
    key,
    draw: /** @type {import("./embedded.js").Draw} */ (chartView),
    values: { figure, description, problem: "", room: null },
    report: ({ clicked, hovered }) => {
      if (clicked) click(clicked);
      if (hovered !== undefined) hover?.(hovered);
    },
  });
