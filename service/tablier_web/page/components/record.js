/** Game records: the text of the game to keep, and one to open. */
import { Component, h } from "../vendor/preact.js";
import { openRecord, recordOf } from "../opening.js";
import { t } from "../texts.js";
import { Copy, Dialog, save } from "./dialog.js";
import { nameOf } from "./share.js";

/** @typedef {import("../table.js").Table} Table */

/** @extends {Component<import("./panels.js").PanelProps, {open: boolean, record: string, text: string, problem: string}>} */
export class GameRecord extends Component {
  /** @override */
  state = { open: false, record: "", text: "", problem: "" };

  #open = async () => {
    const { table } = this.props;
    const usable = table.node && table.curtain < 0;
    const record = usable ? await recordOf(table) : "";
    this.setState({ open: true, record, text: "", problem: "" });
  };

  #close = () => this.setState({ open: false });

  /** @param {Event} event */
  #choose = async (event) => {
    const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
    if (file) this.setState({ text: await file.text() });
  };

  /** @param {Event} event */
  #submit = async (event) => {
    event.preventDefault();
    const problem = await openRecord(this.props.table, this.state.text);
    this.setState({ problem, open: problem !== "" });
  };

  /** @override */
  render() {
    const { table } = this.props;
    const { open, record, text, problem } = this.state;
    return [
      h("button", { class: "record", onClick: this.#open }, t("record")),
      open &&
        h(
          Dialog,
          { title: t("record"), name: "records", onClose: this.#close },
          record && h(Saved, { table, record }),
          h(
            "form",
            { onSubmit: this.#submit },
            h("label", { class: "name", htmlFor: "record-text" }, t("recordToOpen")),
            h("textarea", {
              id: "record-text",
              rows: 6,
              value: text,
              required: true,
              spellcheck: false,
              onInput: (/** @type {Event} */ event) =>
                this.setState({ text: /** @type {HTMLTextAreaElement} */ (event.target).value }),
            }),
            problem && h("p", { class: "error", role: "alert" }, problem),
            h(
              "p",
              { class: "actions" },
              h("input", {
                type: "file",
                accept: "text/plain",
                "aria-label": t("recordFile"),
                onChange: this.#choose,
              }),
              h("button", { class: "primary" }, t("open")),
            ),
          ),
        ),
    ];
  }
}

/** @param {{table: Table, record: string}} props */
function Saved({ table, record }) {
  const file = () => save(new Blob([record], { type: "text/plain" }), `${nameOf(table)}.txt`);
  return h(
    "div",
    null,
    h(
      "label",
      { class: "name", htmlFor: "record-saved" },
      t(table.hidden ? "recordSeen" : "recordOfGame"),
    ),
    h("textarea", { id: "record-saved", rows: 6, readOnly: true, value: record }),
    h(
      "p",
      { class: "actions" },
      h("button", { onClick: file }, t("save")),
      h(Copy, { text: record }),
    ),
  );
}
