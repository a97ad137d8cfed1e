"""Checks of a page that a reader with other eyes or without a mouse depends on."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page

# Contrast as WCAG 2 defines it, of every text that is shown and not of a control that is off. A text of a picture lies
# on shapes of its own group; each of them that is behind its middle counts.
CONTRAST = """
(roots) => {
  const parse = (text) => {
    const [r, g, b, a = 1] = (text.match(/[\\d.]+/g) ?? ["0", "0", "0", "0"]).map(Number);
    return text.startsWith("color(srgb") ? [r * 255, g * 255, b * 255, a] : [r, g, b, a];
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((c, i) => c * a + under[i] * (1 - a));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (/gradient/.test(style.backgroundImage)) return null;
      layers.push(parse(style.backgroundColor));
      if (layers.at(-1)[3] === 1) break;
    }
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const shapes = (text) => {
    const found = [];
    const { top, height } = text.getBoundingClientRect();
    const middle = top + height / 2;
    for (let at = text; at && at.tagName !== "svg"; at = at.parentElement) {
      for (const shape of at.parentElement.children) {
        if (!["rect", "ellipse", "path"].includes(shape.tagName)) continue;
        const style = getComputedStyle(shape);
        const box = shape.getBoundingClientRect();
        if (style.fill === "none" || !(box.width || box.height)) continue;
        if (box.bottom < middle || middle < box.top) continue;
        const [r, g, b, a] = parse(style.fill);
        found.push(over([r, g, b, a * Number(style.fillOpacity)], found.at(-1) ?? ground(text.ownerSVGElement)));
      }
      if (found.length) return found;
    }
    return [ground(text.ownerSVGElement)];
  };
  const faint = [];
  let seen = 0;
  for (const root of roots) {
    for (const element of root.querySelectorAll("*")) {
      const texts = [...element.childNodes].filter((node) => node.nodeType === 3);
      const words = texts.map((node) => node.data.trim()).join("");
      if (!words || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (["title", "style", "option", "script"].includes(element.tagName)) continue;
      if (element.closest(":disabled, [aria-disabled=true], [aria-hidden=true]")) continue;
      const drawn = element.tagName === "text";
      const style = getComputedStyle(element);
      const grounds = drawn ? shapes(element) : [ground(element)];
      for (const under of grounds.filter(Boolean)) {
        seen += 1;
        const found = ratio(over(parse(drawn ? style.fill : style.color), under), under);
        const large = parseFloat(style.fontSize) >= 24;
        if (found < (large ? 3 : 4.5)) faint.push(`${words.slice(0, 30)}: ${found.toFixed(2)}`);
      }
    }
  }
  return { seen, faint: [...new Set(faint)] };
}
"""

# Whatever answers to the mouse has a name, and is reached and worked with the keyboard.
NAMELESS = """
(roots) => roots.flatMap((root) =>
  [...root.querySelectorAll("button, input, select, canvas, svg, [role=button], [tabindex='0']")]
    .filter((element) => element.checkVisibility() && !element.closest("[aria-hidden=true], .modebar, .main-svg"))
    .filter((element) => {
      const label = element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
      return !label?.trim() && !element.title;
    })
    .map((element) => element.outerHTML.slice(0, 120)))
"""

# Boxes that scroll; tables that are too wide for a narrow page do so on purpose.
SCROLLING = """
(roots) => roots.flatMap((root) => [root, ...root.querySelectorAll("*")]
  .filter((element) => element.checkVisibility() && !element.closest(".bnlab-scroll, pre, select"))
  .filter((element) => {
    const { overflowX, overflowY } = getComputedStyle(element);
    const wide = /auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth;
    return wide || (/auto|scroll/.test(overflowY) && element.scrollHeight > element.clientHeight);
  })
  .map((element) => element.cloneNode(false).outerHTML.slice(0, 120)))
"""

FOCUS = """
() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const shape = element.matches(".bn-node") ? getComputedStyle(element.querySelector(".bn-shape")) : style;
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  const drawn = element.matches(".bn-node") && parseFloat(shape.strokeWidth) >= 2;
  return { what: element.outerHTML.slice(0, 100), shown: ring || drawn || style.boxShadow !== "none" };
}
"""


def faint_texts(page: Page, shown: Locator) -> tuple[int, list[str]]:
    """How many texts were measured, and those whose contrast is below that of WCAG 2 AA."""
    found: dict[str, Any] = page.evaluate(CONTRAST, shown.element_handles())
    return int(found["seen"]), list(found["faint"])


def nameless_controls(page: Page, shown: Locator) -> list[str]:
    """Controls and pictures without a name."""
    return list(page.evaluate(NAMELESS, shown.element_handles()))


def scrolling_boxes(page: Page, shown: Locator) -> list[str]:
    """Boxes with a scrollbar, but tables."""
    return list(page.evaluate(SCROLLING, shown.element_handles()))


def stops(page: Page, most: int) -> list[dict[str, Any]]:
    """What Tab goes to from here, and whether one sees it there."""
    found = []
    for _ in range(most):
        page.keyboard.press("Tab")
        found.append(page.evaluate(FOCUS))
    return found
