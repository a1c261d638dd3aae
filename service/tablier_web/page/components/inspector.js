/** For authors of bots: what the page knows of the position, and its calls. */
import { Component, h } from "../vendor/preact.js";
import { ApiError } from "../api.js";
import { describe } from "../opening.js";
import { curl } from "../snippets.js";
import { t } from "../texts.js";
import { readEnvelope } from "../token.js";
import { Copy } from "./dialog.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("../api.js").CallRecord} CallRecord
 *
 * @typedef {object} Described
 * @property {object} situation
 * @property {object} view
 * @property {string} token the token that the viewer may hold
 */

const MOST_CALLS = 15;

/** @extends {Component<import("./panels.js").PanelProps, {open: boolean, described: Described | null, problem: string}>} */
export class Inspector extends Component {
  /** @override @type {{open: boolean, described: Described | null, problem: string}} */
  state = { open: false, described: null, problem: "" };
  /** What was asked for last. */
  #subject = "";

  /** @override */
  componentDidUpdate() {
    void this.#load();
  }

  async #load() {
    const { table } = this.props;
    const { node, viewer, curtain } = table;
    const visible = this.state.open && node && curtain < 0 && table.shown === node;
    const subject = visible ? `${node.id} ${viewer}` : "";
    if (subject === this.#subject) return;
    this.#subject = subject;
    this.setState({ described: null, problem: "" });
    if (!visible) return;
    try {
      const { situation, view, viewToken } = await describe(table);
      const token = table.viewOnly || !table.hidden ? node.state : viewToken;
      if (subject === this.#subject) this.setState({ described: { situation, view, token } });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.setState({ problem: error.message });
    }
  }

  /** @param {Event} event */
  #toggle = (event) => {
    this.setState({ open: /** @type {HTMLDetailsElement} */ (event.target).open });
  };

  /** @override */
  render() {
    const { table } = this.props;
    const { open, described, problem } = this.state;
    return h(
      "details",
      { class: "inspector", onToggle: this.#toggle },
      h("summary", null, t("inspector")),
      open && [
        problem && h("p", { class: "error" }, problem),
        described && h(Position, { table, described }),
        h(Calls, { table }),
      ],
    );
  }
}

/** @param {{table: Table, described: Described}} props */
function Position({ table, described: { token, view, situation } }) {
  const moves = table.canMove ? table.moves : [];
  return [
    h("h2", null, t("token")),
    h("pre", { tabIndex: 0 }, JSON.stringify(readEnvelope(token), null, 1)),
    h(Copy, { text: token, describe: `${t("copy")}: ${t("token")}` }),
    h("h2", null, t("view")),
    h("pre", { tabIndex: 0 }, JSON.stringify({ situation, view }, null, 1)),
    h("h2", null, `${t("legalMoves")} (${moves.length})`),
    moves.length > 0 &&
      h(
        "pre",
        { tabIndex: 0 },
        moves
          .map(({ action, notation, parts }) => `${action}  ${notation}  ${parts.join(" > ")}`)
          .join("\n"),
      ),
  ];
}

/** @param {{table: Table}} props */
function Calls({ table }) {
  const { records, hasKey } = table.api;
  const errors = records.filter(({ error }) => error).slice(-5);
  return [
    h("h2", null, t("errors")),
    h(
      "ul",
      null,
      errors.length
        ? errors.map(({ at, status, error }) =>
            h("li", { key: at.getTime() }, `${at.toLocaleTimeString()} ${status} ${error}`),
          )
        : h("li", { class: "quiet" }, "–"),
    ),
    h("h2", null, t("calls")),
    h(
      "table",
      null,
      h(
        "tbody",
        null,
        records
          .slice(-MOST_CALLS)
          .reverse()
          .map((record, index) => h(Call, { key: index, record, hasKey })),
      ),
    ),
  ];
}

/** @param {{record: CallRecord, hasKey: boolean}} props */
function Call({ record, hasKey }) {
  const { path, status, milliseconds } = record;
  const name = path.replace(/\?.*/, "").replace("/v1/", "");
  return h(
    "tr",
    null,
    h("th", { scope: "row" }, name),
    h("td", null, status || "–"),
    h("td", null, `${milliseconds.toFixed(1)} ms`),
    h(
      "td",
      null,
      h(Copy, {
        label: "curl",
        describe: `${t("asCurl")}: ${name}`,
        text: curl(record, location.origin, hasKey),
      }),
    ),
  );
}
