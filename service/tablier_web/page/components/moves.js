/** The moves of the game in words, with variations; a click shows the position after a move. */
import { Component, createRef, h } from "../vendor/preact.js";
import { t } from "../texts.js";
import { rootOf, rows } from "../tree.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("../tree.js").Row} Row
 */

/** @extends {Component<import("./panels.js").PanelProps>} */
export class Moves extends Component {
  #list = createRef();

  /** @override */
  componentDidUpdate() {
    const current = this.#list.current?.querySelector('[aria-current="step"]');
    const list = this.#list.current;
    if (!current) return;
    // Not scrollIntoView, which would also scroll the page.
    const { top, bottom } = current.getBoundingClientRect();
    const frame = list.getBoundingClientRect();
    if (top < frame.top) list.scrollTop += top - frame.top;
    else if (bottom > frame.bottom) list.scrollTop += bottom - frame.bottom;
  }

  /** @override */
  render() {
    const { table } = this.props;
    if (!table.node) return null;
    const { viewer, seen: all } = table.before;
    const seen = table.curtain < 0 && viewer === table.viewer ? all : [];
    const listed = table.curtain >= 0 ? [] : rows(rootOf(table.node));
    return h(
      "section",
      { class: "moves", "aria-label": t("moves") },
      h(
        "div",
        { class: "list", ref: this.#list, tabIndex: 0, role: "group", "aria-label": t("moves") },
        listed.length || seen.length
          ? h(
              "ol",
              null,
              seen.map(({ words }, index) =>
                h(
                  "li",
                  { key: `before-${index}`, class: "before" },
                  h("span", { class: "number" }, index + 1),
                  h("span", { class: "words" }, words),
                ),
              ),
              listed.map((row) => h(MoveRow, { key: row.node.id, table, row })),
            )
          : h("p", { class: "quiet" }, t("noMoves")),
      ),
      h(Steps, { table }),
    );
  }
}

/** Buttons to step through the game. @param {{table: Table}} props */
export function Steps({ table }) {
  return h(
    "div",
    { class: "steps" },
    stepButton(table, "first", "«"),
    stepButton(table, "back", "‹"),
    stepButton(table, "on", "›"),
    stepButton(table, "last", "»"),
  );
}

/** @param {Table} table @param {"first" | "back" | "on" | "last"} where @param {string} sign */
function stepButton(table, where, sign) {
  const { node } = table;
  const possible = node && (where === "first" || where === "back" ? node.parent : node.children[0]);
  return h(
    "button",
    {
      onClick: () => table.step(where),
      "aria-label": t(where),
      title: t(where),
      disabled: !possible,
    },
    sign,
  );
}

/** @param {{table: Table, row: Row}} props */
function MoveRow({ table, row }) {
  const { node, indent, first } = row;
  const current = node === table.node;
  const remark = table.remarks.get(node);
  // Until it is told, a move of another person may be hidden from this one.
  const words = node.words.get(table.viewer) ?? (table.sees(node) ? node.move?.notation : "") ?? "";
  return h(
    "li",
    { class: `indent-${Math.min(indent, 4)}${first ? " branch" : ""}${current ? " current" : ""}` },
    h("span", { class: "number" }, node.depth + table.before.seen.length),
    h(
      "button",
      {
        class: "words",
        onClick: () => table.jump(node),
        "aria-current": current ? "step" : null,
      },
      words || "…",
    ),
    remark && h("span", { class: "remark", "aria-hidden": "true" }, remark.sign),
    current &&
      h(
        "button",
        {
          class: "quiet remove",
          onClick: () => table.remove(node),
          "aria-label": t("remove"),
          title: t("remove"),
        },
        "×",
      ),
    remark && h("small", { class: "better" }, remark.words),
  );
}
