/** The values over the game as a graph, with a table for those who cannot see it. */
import { Component, createRef, h } from "../vendor/preact.js";
import { place, pointsOf, signed } from "../evaluation.js";
import { t } from "../texts.js";
import { endOf, lineTo } from "../tree.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("../evaluation.js").Point} Point
 * @typedef {{table: Table, evaluations: import("../evaluation.js").Evaluations}} GraphProps
 */

const WIDTH = 340;
const HEIGHT = 90;
const MARGIN = 6;

/** @extends {Component<GraphProps>} */
export class Graph extends Component {
  #group = createRef();

  /** @override */
  componentDidUpdate() {
    // The arrow keys step through the game; the focus goes with it.
    const group = this.#group.current;
    if (!group?.contains(document.activeElement)) return;
    const current = group.querySelector('[tabindex="0"]');
    if (current !== document.activeElement) current?.focus();
  }

  /** @override */
  render() {
    const { table, evaluations } = this.props;
    const { node, viewer } = table;
    if (!node) return null;
    const line = lineTo(endOf(node));
    const points = pointsOf(line, evaluations);
    if (points.length < 2) return null;
    const last = line.length - 1;
    /** @param {Point} point @param {number} seat */
    const at = ({ node: { depth }, values }, seat) => {
      const { x, y } = place(depth, values[seat] ?? 0, last, WIDTH, HEIGHT);
      return { x: x + MARGIN, y: y + MARGIN };
    };
    const seats = points[0]?.values ?? [];
    const tabbable = points.some((point) => point.node === node) ? node : points[0]?.node;
    const now = place(node.depth, 0, last, WIDTH, HEIGHT).x + MARGIN;
    return h(
      "div",
      { class: "graph" },
      h(
        "svg",
        {
          viewBox: `0 0 ${WIDTH + 2 * MARGIN} ${HEIGHT + 2 * MARGIN}`,
          role: "group",
          "aria-label": t("graph", { seat: viewer }),
          ref: this.#group,
        },
        h("line", {
          class: "zero",
          x1: 0,
          x2: WIDTH + 2 * MARGIN,
          y1: HEIGHT / 2 + MARGIN,
          y2: HEIGHT / 2 + MARGIN,
        }),
        h("line", { class: "now", x1: now, x2: now, y1: 0, y2: HEIGHT + 2 * MARGIN }),
        seats.map((_, seat) =>
          h("polyline", {
            key: seat,
            class: seat === viewer ? "values own" : "values",
            points: points.map((point) => Object.values(at(point, seat)).join()).join(" "),
          }),
        ),
        points.map((point) => {
          const { x, y } = at(point, viewer);
          const remark = table.remarks.get(point.node);
          return h("circle", {
            key: point.node.id,
            class: `${remark ? "mistake" : ""}${point.node === node ? " current" : ""}`,
            cx: x,
            cy: y,
            r: 4,
            role: "button",
            tabindex: point.node === tabbable ? 0 : -1,
            "aria-label": labelOf(table, point),
            onClick: () => void table.jump(point.node),
            onKeyDown: (/** @type {KeyboardEvent} */ event) => {
              if (event.key === "Enter") void table.jump(point.node);
            },
          });
        }),
      ),
      h(ValueTable, { table, points }),
    );
  }
}

/** @param {Table} table @param {Point} point */
function wordsOf({ viewer }, { node }) {
  return node.words.get(viewer) ?? t("start");
}

/** @param {Table} table @param {Point} point */
function labelOf(table, point) {
  const value = signed(point.values[table.viewer] ?? 0);
  const remark = table.remarks.get(point.node);
  return `${point.node.depth}. ${wordsOf(table, point)}: ${value}${remark ? `. ${remark.words}` : ""}`;
}

/** @param {{table: Table, points: Point[]}} props */
function ValueTable({ table, points }) {
  return h(
    "details",
    null,
    h("summary", null, t("asTable")),
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, t("moves")),
          (points[0]?.values ?? []).map((_, seat) =>
            h("th", { key: seat, scope: "col" }, t("seat", { seat })),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        points.map((point) =>
          h(
            "tr",
            { key: point.node.id },
            h("th", { scope: "row" }, `${point.node.depth}. ${wordsOf(table, point)}`),
            point.values.map((value, seat) => h("td", { key: seat }, signed(value))),
          ),
        ),
      ),
    ),
  );
}
