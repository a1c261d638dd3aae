/** The analysis beside the board: ranked moves while the search goes on, and the graph of the game. */
import { Component, h } from "../vendor/preact.js";
import { Analysis } from "../analysis.js";
import { ranked, signed } from "../evaluation.js";
import { language, t } from "../texts.js";
import { Graph } from "./graph.js";

/**
 * @typedef {import("../types.d.ts").Suggestion} Suggestion
 * @typedef {import("../analysis.js").Budget} Budget
 */

const MOST_ROWS = 5;
/** @type {Budget[]} */
const BUDGETS = [
  ...[1, 5, 15, 60].map((seconds) => ({ milliseconds: 1000 * seconds })),
  ...[10_000, 100_000, 1_000_000].map((iterations) => ({ iterations })),
];

/** @param {number} value */
function count(value) {
  return value.toLocaleString(language());
}

/** @param {Budget} budget */
function budgetText({ milliseconds, iterations = 0 }) {
  return milliseconds
    ? t("seconds", { seconds: milliseconds / 1000 })
    : t("iterations", { iterations: count(iterations) });
}

/** @extends {Component<import("./panels.js").PanelProps>} */
export class AnalysisPanel extends Component {
  #analysis = new Analysis(this.props.table);

  /** @override */
  componentDidUpdate() {
    this.#analysis.follow();
  }

  /** @override */
  componentWillUnmount() {
    this.#analysis.turn(false);
  }

  /** @override */
  render() {
    const { table } = this.props;
    const analysis = this.#analysis;
    return h(
      "section",
      { class: "analysis", "aria-label": t("analysis") },
      h(
        "div",
        { class: "switch" },
        h(
          "label",
          null,
          h("input", {
            type: "checkbox",
            role: "switch",
            checked: analysis.on,
            onChange: () => analysis.turn(!analysis.on),
          }),
          ` ${t("analysis")}`,
        ),
        analysis.on && h(Controls, { analysis }),
      ),
      analysis.on && table.curtain < 0 && h(Results, { analysis }),
    );
  }
}

/** @param {{analysis: Analysis}} props */
function Controls({ analysis }) {
  const value = BUDGETS.findIndex((each) => budgetText(each) === budgetText(analysis.budget));
  return [
    h(
      "select",
      {
        value,
        "aria-label": t("budget"),
        class: "budget",
        onChange: (/** @type {Event} */ event) =>
          analysis.spend(
            BUDGETS[Number(/** @type {HTMLSelectElement} */ (event.target).value)] ?? {},
          ),
      },
      BUDGETS.map((each, index) => h("option", { key: index, value: index }, budgetText(each))),
    ),
    analysis.running
      ? h("button", { class: "stop", onClick: () => analysis.stop() }, t("stop"))
      : h("button", { class: "stop", onClick: () => analysis.restart() }, t("again")),
  ];
}

/** @param {{analysis: Analysis}} props */
function Results({ analysis }) {
  const { suggestions, seat, problem, compared, pointed, table } = analysis;
  if (problem) return h("p", { class: "error", role: "status" }, problem);
  const shown = pointed ?? suggestions[0];
  const pair = compared.flatMap((action) =>
    suggestions.filter(({ move }) => (move.action ?? 0) === action),
  );
  return [
    seat < 0
      ? h("p", { class: "quiet" }, t(table.node?.situation.over ? "over" : "nobodyToAdvise"))
      : h(
          "p",
          { class: "quiet searched" },
          t(analysis.iterations || analysis.running ? "searched" : "settled", {
            seat,
            iterations: count(analysis.iterations),
            seconds: (analysis.milliseconds / 1000).toFixed(1),
          }),
        ),
    suggestions.length > 0 &&
      h(
        "ol",
        { class: "ranked", onMouseLeave: () => void analysis.point(null) },
        ranked(suggestions, analysis.pinned, MOST_ROWS).map((suggestion) =>
          h(Row, { key: suggestion.move.action ?? 0, analysis, suggestion }),
        ),
      ),
    shown && h(Line, { suggestion: shown }),
    pair[0] && pair[1] && h(Comparison, { one: pair[0], other: pair[1] }),
    h(Graph, { table, evaluations: analysis.evaluations }),
  ];
}

/** @param {{analysis: Analysis, suggestion: Suggestion}} props */
function Row({ analysis, suggestion }) {
  const { move, visits = 0, values = [], spread = 0, words = [] } = suggestion;
  const action = move.action ?? 0;
  const name = words[0] ?? move.notation ?? "";
  const pinned = analysis.pinned.has(action);
  const point = () => void analysis.point(suggestion);
  const all = values.map((value, seat) => `${seat}: ${signed(value)}`).join(", ");
  const searched = visits ? ` · ${t("visits", { visits: count(visits) })}` : "";
  return h(
    "li",
    { class: pinned ? "pinned" : "", onMouseEnter: point },
    h(
      "button",
      {
        class: "suggestion",
        onClick: () => analysis.play(suggestion),
        onFocus: point,
        onBlur: () => void analysis.point(null),
      },
      h("strong", null, signed(values[analysis.seat] ?? 0)),
      h("span", null, name),
      h(
        "small",
        { title: t("values") },
        `${all}${searched}${spread ? ` · ±${spread.toFixed(2)}` : ""}`,
      ),
    ),
    h(
      "button",
      {
        class: "quiet pin",
        "aria-pressed": String(pinned),
        "aria-label": `${t("pin")}: ${name}`,
        title: t("pin"),
        onClick: () => analysis.pin(action),
      },
      pinned ? "★" : "☆",
    ),
    h("input", {
      type: "checkbox",
      class: "compare",
      checked: analysis.compared.includes(action),
      "aria-label": `${t("compare")}: ${name}`,
      title: t("compare"),
      onChange: () => analysis.compare(action),
    }),
  );
}

/** The moves that are expected. @param {{suggestion: Suggestion}} props */
function Line({ suggestion: { words = [] } }) {
  return h(
    "p",
    { class: "line" },
    h("span", { class: "quiet" }, `${t("expected")} `),
    words.join(" › "),
  );
}

/** @param {{one: Suggestion, other: Suggestion}} props */
function Comparison({ one, other }) {
  const pair = [one, other];
  const seats = one.values ?? [];
  /** @param {string} name @param {string[]} cells */
  const row = (name, cells) =>
    h(
      "tr",
      { key: name },
      h("th", { scope: "row" }, name),
      cells.map((cell, index) => h("td", { key: index }, cell)),
    );
  return h(
    "table",
    { class: "comparison" },
    h("caption", { class: "visually-hidden" }, t("compare")),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("td", null),
        pair.map(({ move, words = [] }, index) =>
          h("th", { key: index, scope: "col" }, words[0] ?? move.notation),
        ),
      ),
    ),
    h(
      "tbody",
      null,
      seats.map((_, seat) =>
        row(
          t("seat", { seat }),
          pair.map(({ values = [] }) => signed(values[seat] ?? 0)),
        ),
      ),
      pair.some(({ visits }) => visits) &&
        row(
          t("visitsName"),
          pair.map(({ visits = 0 }) => count(visits)),
        ),
      pair.some(({ spread }) => spread) &&
        row(
          t("spread"),
          pair.map(({ spread = 0 }) => `±${spread.toFixed(2)}`),
        ),
      pair.some(({ words = [] }) => words.length > 1) &&
        row(
          t("expected"),
          pair.map(({ words = [] }) => words.slice(1).join(" › ")),
        ),
    ),
  );
}
