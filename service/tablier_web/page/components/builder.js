/**
 * Below the board: the move that is being built, buttons for moves without a place on the board, and
 * a field to type a move.
 */
import { Component, h } from "../vendor/preact.js";
import { t } from "../texts.js";
import { offers } from "../typed.js";
import { focusBoard } from "./focus.js";
import { ViewForm } from "./viewing.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("../types.d.ts").LegalMove} LegalMove
 */

// More buttons than this are rather typed than read.
const MOST_BUTTONS = 24;

/** @param {{table: Table}} props */
export function Builder({ table }) {
  return h(
    "section",
    { class: "builder", "aria-label": t("typeMove") },
    h(Prompt, { table }),
    h(Buttons, { table }),
    table.canMove && h(TypedMove, { table }),
    table.viewOnly && h(ViewForm, { table }),
  );
}

/** Do what a button is for; the button may be gone afterwards. @param {() => void} what */
function act(what) {
  focusBoard();
  what();
}

/** What is being built, or what the page waits for. @param {{table: Table}} props */
function Prompt({ table }) {
  const { turn, chosen, narrowed } = table;
  if (table.error) {
    return h(
      "p",
      { class: "prompt error", role: "alert" },
      table.error,
      " ",
      h(
        "button",
        { class: "quiet", onClick: () => table.dismiss(), "aria-label": t("close") },
        "×",
      ),
    );
  }
  if (table.proposal) {
    const { words, notation } = table.proposal;
    return h("p", { class: "prompt" }, t("proposal", { words, notation }));
  }
  if (turn.kind === "over" && table.node) return h("p", { class: "prompt" }, table.result());
  if (!table.canMove) {
    if (table.viewOnly) return h("p", { class: "prompt" }, t("othersMove"));
    if (table.busy) return h("p", { class: "prompt waiting" }, t("thinking"));
    return h(
      "p",
      { class: "prompt" },
      h("button", { onClick: () => act(() => void table.goOn()) }, t("goOn")),
    );
  }
  if (!chosen.length) return h("p", { class: "prompt" }, t("yourTurn"));
  const { complete, moves } = narrowed;
  const words = complete?.words ?? (moves.length === 1 ? moves[0]?.words : null);
  return h(
    "p",
    { class: "prompt building" },
    h("span", null, words ?? t("movesLeft", { count: moves.length })),
    complete && h("button", { class: "ok", onClick: () => act(() => table.confirm()) }, t("ok")),
    h("button", { class: "undo", onClick: () => table.stepBack(), "aria-label": t("undo") }, "×"),
  );
}

/** @param {{table: Table}} props */
function Buttons({ table }) {
  const { turn, narrowed } = table;
  if (!table.canMove) return null;
  const moves = narrowed.buttons.slice(0, MOST_BUTTONS);
  const others = table.chosen.length ? [] : table.tableMoves;
  return h(
    "div",
    { class: "buttons" },
    moves.map((move) => h(MoveButton, { key: move.action, table, move })),
    others.map((move) => h(MoveButton, { key: `table-${move.action}`, table, move })),
    turn.bots.length > 0 &&
      h("button", { class: "wait", onClick: () => act(() => void table.wait()) }, t("wait")),
    turn.persons.map((seat) =>
      h(
        "button",
        { key: `ask-${seat}`, class: "wait", onClick: () => table.ask(seat) },
        t("askOther", { seat }),
      ),
    ),
  );
}

/** @param {{table: Table, move: LegalMove}} props */
function MoveButton({ table, move }) {
  const part = move.parts[table.chosen.length] ?? "";
  // A button can also be a step on the way to several moves.
  const last = move.parts.length <= table.chosen.length + 1;
  const onClick = () => {
    focusBoard();
    if (last) void table.play(move);
    else table.choose(part);
  };
  return h("button", { class: "move", "data-part": part, onClick }, move.words);
}

/** @extends {Component<{table: Table}, {text: string}>} */
class TypedMove extends Component {
  /** @override */
  state = { text: "" };

  /** @param {Event} event */
  #submit = (event) => {
    event.preventDefault();
    if (this.state.text && this.props.table.type(this.state.text)) this.setState({ text: "" });
  };

  /** @param {Event} event */
  #input = (event) => {
    this.setState({ text: /** @type {HTMLInputElement} */ (event.target).value });
  };

  /** @override */
  render() {
    const { table } = this.props;
    const { text } = this.state;
    return h(
      "form",
      { class: "typed", onSubmit: this.#submit },
      h("input", {
        id: "typed-move",
        list: "typed-moves",
        value: text,
        onInput: this.#input,
        placeholder: `${t("typeMove")}…`,
        "aria-label": t("typeMove"),
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: false,
      }),
      h(
        "datalist",
        { id: "typed-moves" },
        offers(table.narrowed.moves, text).map((move) =>
          h("option", { key: move.action, value: move.notation, label: move.words }),
        ),
      ),
      h("button", null, t("play")),
    );
  }
}
