/** The page: header, board, and the panels beside it. */
import { Component, h } from "../vendor/preact.js";
import { followAddress, keepAddress } from "../address.js";
import { preference, prefer } from "../preferences.js";
import { t, useLanguage } from "../texts.js";
import { Board } from "./board.js";
import { Builder } from "./builder.js";
import { focusBoard } from "./focus.js";
import { Header } from "./header.js";
import { KeyDialog } from "./key.js";
import { panels, tools } from "./panels.js";
import { Setup, Welcome } from "./setup.js";

/**
 * @typedef {import("../table.js").Table} Table
 *
 * @typedef {object} Page what the views can ask of the page
 * @property {string} theme the theme that was chosen; empty for that of the system
 * @property {(theme: string) => void} setTheme
 * @property {(language: string) => Promise<void>} setLanguage
 * @property {(name: string) => void} openSetup
 * @property {(event: Event) => void} home
 * @property {import("./panels.js").Panel[]} tools
 *
 * @typedef {object} AppState
 * @property {string} setup the game whose options are chosen
 * @property {{rejected: boolean, answer: (key: string) => void} | null} asking
 */

const DARK = matchMedia("(prefers-color-scheme: dark)");
const CONTRAST = matchMedia("(prefers-contrast: more)");

/** @extends {Component<{table: Table}, AppState>} */
export class App extends Component {
  /** @override @type {AppState} */
  state = { setup: "", asking: null };
  #theme = preference("theme");

  /** @override */
  componentDidMount() {
    const { table } = this.props;
    table.onchange = () => this.forceUpdate();
    table.api.onchange = () => this.forceUpdate();
    table.api.askKey = (rejected) =>
      new Promise((answer) => {
        this.setState({ asking: { rejected, answer } });
      });
    const follow = () => this.#applyTheme();
    DARK.addEventListener("change", follow);
    CONTRAST.addEventListener("change", follow);
    this.#applyTheme();
    addEventListener("keydown", this.#press);
    void table.open().then(() => followAddress(table));
  }

  /** @override */
  componentDidUpdate() {
    void keepAddress(this.props.table);
  }

  #applyTheme() {
    const { table } = this.props;
    const system = CONTRAST.matches ? "contrast" : DARK.matches ? "dark" : "light";
    const theme = this.#theme || system;
    table.theme = /** @type {Table["theme"]} */ (theme);
    document.documentElement.dataset.theme = theme;
    void table.redraw();
    this.forceUpdate();
  }

  /** @param {KeyboardEvent} event */
  #press = (event) => {
    const { table } = this.props;
    // A dialog has its own keys, such as Escape, which closes it.
    if (document.querySelector("dialog[open]")) return;
    const target = /** @type {Element} */ (event.target);
    if (event.key === "Escape") {
      if (table.stepBack()) event.preventDefault();
      return;
    }
    if (target.matches("input, select, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, "first" | "back" | "on" | "last">} */
    const steps = { ArrowLeft: "back", ArrowRight: "on", ArrowUp: "first", ArrowDown: "last" };
    const where = steps[event.key];
    if (!where) return;
    event.preventDefault();
    void table.step(where);
  };

  /** @returns {Page} */
  get #page() {
    const { table } = this.props;
    return {
      theme: this.#theme,
      tools,
      setTheme: (theme) => {
        this.#theme = theme;
        prefer("theme", theme);
        this.#applyTheme();
      },
      setLanguage: async (language) => {
        await useLanguage(language);
        prefer("language", language);
        table.api.language = language;
        this.forceUpdate();
        await table.translate();
      },
      openSetup: (name) => this.setState({ setup: name }),
      home: (event) => {
        event.preventDefault();
        table.leave();
      },
    };
  }

  /** @override */
  render() {
    const { table } = this.props;
    const { setup, asking } = this.state;
    const page = this.#page;
    return [
      h(Header, { table, page }),
      !table.api.reachable && h("p", { class: "notice", role: "status" }, t("offline")),
      !table.node && (table.mayNotStart || table.error) && h(Refusal, { table }),
      table.node
        ? h(
            "main",
            { class: "playing", "aria-busy": String(table.busy) },
            h(
              "div",
              { class: "centre" },
              table.curtain >= 0 && h(Curtain, { table }),
              h(Board, { table }),
              table.curtain < 0 && h(Builder, { table }),
            ),
            h(
              "aside",
              { class: "side", "aria-label": t("table") },
              table.hidden && !table.sealed && h("p", { class: "plain quiet" }, t("plain")),
              panels.map((panel) => h(panel, { key: panel.name, table, page })),
            ),
          )
        : h("main", null, h(Welcome, { table, onOptions: page.openSetup })),
      setup && h(Setup, { table, name: setup, onClose: () => this.setState({ setup: "" }) }),
      asking &&
        h(KeyDialog, {
          key: String(asking.rejected),
          rejected: asking.rejected,
          onKey: (key) => {
            this.setState({ asking: null });
            asking.answer(key);
          },
        }),
    ];
  }
}

/** Why there is no game. @param {{table: Table}} props */
function Refusal({ table }) {
  if (!table.mayNotStart) return h("p", { class: "notice error", role: "alert" }, table.error);
  return h(
    "p",
    { class: "notice", role: "alert" },
    t("mayNotStart"),
    " ",
    h("button", { onClick: () => void table.changeKey() }, t("otherKey")),
  );
}

/** Hides the view while the screen is passed on. @param {{table: Table}} props */
function Curtain({ table }) {
  const seat = table.curtain;
  return h(
    "div",
    { class: "curtain" },
    h("p", null, t("passScreen", { seat })),
    h(
      "button",
      { class: "primary", onClick: () => void table.reveal().then(focusBoard) },
      t("reveal", { seat }),
    ),
  );
}
