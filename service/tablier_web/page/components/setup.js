/** Choosing a game, its options and its players. The form is made from the schema of the options. */
import { Component, createRef, h } from "../vendor/preact.js";
import { fieldsOf, optionsIn } from "../options.js";
import { language, t } from "../texts.js";
import { fill } from "../turns.js";
import { PlayerChoice } from "./seats.js";
import { ViewForm } from "./viewing.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("../types.d.ts").Game} Game
 * @typedef {import("../types.d.ts").Player} Player
 * @typedef {import("../options.js").Field} Field
 */

/** The title of a game in the language of the page. @param {Game} game */
export function titleOf(game) {
  const field = /** @type {keyof Game} */ (t("titleField"));
  return String(game[field] ?? game.title);
}

/** Every game, to start with one click. @param {{table: Table, onOptions: (name: string) => void}} props */
export function Welcome({ table, onOptions }) {
  return h(
    "section",
    { class: "welcome" },
    h("h1", null, t("chooseGame")),
    h("p", { class: "quiet" }, t("chooseGameHint")),
    h(
      "ul",
      null,
      table.games.map((game) =>
        h(
          "li",
          { key: game.name },
          h(
            "button",
            { class: "game", "data-game": game.name, onClick: () => void table.start(game.name) },
            h("strong", null, titleOf(game)),
            h("span", null, game.summary),
          ),
          h(
            "button",
            {
              class: "options",
              onClick: () => onOptions(game.name),
              "aria-label": `${t("options")}: ${titleOf(game)}`,
            },
            t("options"),
          ),
          h(
            "a",
            { href: `/rules/${game.name}?lang=${language()}` },
            t("rules"),
            h("span", { class: "visually-hidden" }, `: ${titleOf(game)}`),
          ),
        ),
      ),
    ),
    h(
      "details",
      { class: "view", open: table.mayNotStart },
      h("summary", null, t("openView")),
      h(ViewForm, { table }),
    ),
  );
}

/**
 * @typedef {object} SetupState
 * @property {Game | null} game
 * @property {Field[]} fields
 * @property {Record<string, string>} texts
 * @property {Player[]} players
 * @property {string} problem
 */

/** @extends {Component<{table: Table, name: string, onClose: () => void}, SetupState>} */
export class Setup extends Component {
  #dialog = createRef();

  /** @override @type {SetupState} */
  state = { game: null, fields: [], texts: {}, players: [], problem: "" };

  /** @override */
  componentDidMount() {
    this.#dialog.current.showModal();
    void this.#load(this.props.name);
  }

  /** @param {string} name */
  async #load(name) {
    const game = await this.props.table.details(name);
    const fields = fieldsOf(game.optionsSchema);
    const seats = Number(fields.find((field) => field.name === "seats")?.initial ?? game.minSeats);
    this.setState({ game, fields, texts: {}, players: fill([], seats), problem: "" });
  }

  /** @param {string} name @param {string} text */
  #set(name, text) {
    const texts = { ...this.state.texts, [name]: text };
    const { players } = this.state;
    const seats = name === "seats" ? Number(text) : players.length;
    this.setState({ texts, players: fill(players, seats).slice(0, seats) });
  }

  /** @param {Event} event */
  #submit = (event) => {
    event.preventDefault();
    const { game, fields, texts, players } = this.state;
    if (!game) return;
    try {
      const options = optionsIn(fields, texts);
      this.props.onClose();
      void this.props.table.start(game.name, options, players);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      const wrong = fields.find((field) => field.kind === "json" && !isJson(texts[field.name]));
      this.setState({ problem: t("notJson", { name: wrong?.name ?? "" }) });
    }
  };

  /** @override */
  render() {
    const { table, onClose } = this.props;
    const { game, fields, texts, players, problem } = this.state;
    const simple = fields.filter(({ kind }) => kind !== "json" && kind !== "text");
    const others = fields.filter(({ kind }) => kind === "json" || kind === "text");
    /** @param {Field} field */
    const row = (field) =>
      h(OptionField, {
        key: field.name,
        field,
        text: texts[field.name] ?? field.initial,
        onChange: (text) => this.#set(field.name, text),
      });
    return h(
      "dialog",
      { class: "setup", ref: this.#dialog, onClose, "aria-labelledby": "setup-title" },
      h(
        "form",
        { onSubmit: this.#submit },
        h("h2", { id: "setup-title" }, t("optionsOf", { game: game ? titleOf(game) : "…" })),
        h(
          "label",
          { class: "field" },
          h("span", null, t("games")),
          h(
            "select",
            {
              value: game?.name,
              onChange: (/** @type {Event} */ event) =>
                void this.#load(/** @type {HTMLSelectElement} */ (event.target).value),
            },
            table.games.map((each) =>
              h("option", { key: each.name, value: each.name }, titleOf(each)),
            ),
          ),
        ),
        simple.map(row),
        others.length > 0 &&
          h("details", null, h("summary", null, t("moreOptions")), others.map(row)),
        h(
          "fieldset",
          null,
          h("legend", null, t("seatsHeading")),
          players.map((player, seat) =>
            h(
              "div",
              { class: "field", key: seat },
              h("span", null, t("seat", { seat })),
              h(PlayerChoice, {
                player,
                seat,
                onChange: (chosen) =>
                  this.setState({
                    players: players.map((each, at) => (at === seat ? chosen : each)),
                  }),
              }),
            ),
          ),
        ),
        problem && h("p", { class: "error", role: "alert" }, problem),
        h(
          "p",
          { class: "actions" },
          h("button", { class: "primary" }, t("startGame")),
          h("button", { type: "button", onClick: onClose }, t("cancel")),
        ),
      ),
    );
  }
}

/** @param {string | undefined} text */
function isJson(text) {
  try {
    JSON.parse(text ?? "null");
    return true;
  } catch {
    return false;
  }
}

/** @param {{field: Field, text: string, onChange: (text: string) => void}} props */
function OptionField({ field, text, onChange }) {
  const { name, title, kind, description, choices, minimum, maximum, step, pattern } = field;
  const id = `option-${name}`;
  /** @param {Event} event */
  const change = (event) => {
    const input = /** @type {HTMLInputElement} */ (event.target);
    onChange(kind === "check" ? String(input.checked) : input.value);
  };
  const common = { id, name, "aria-describedby": `${id}-text` };
  let input;
  if (kind === "check") {
    input = h("input", { ...common, type: "checkbox", checked: text === "true", onChange: change });
  } else if (kind === "choice") {
    input = h(
      "select",
      { ...common, value: text, onChange: change },
      choices.map((each) => h("option", { key: each, value: each }, each)),
    );
  } else if (kind === "number") {
    input = h("input", {
      ...common,
      type: "number",
      value: text,
      min: minimum,
      max: maximum,
      step: step ?? "any",
      required: true,
      onInput: change,
    });
  } else if (kind === "json") {
    input = h("textarea", { ...common, value: text, rows: 2, spellcheck: false, onInput: change });
  } else {
    input = h("input", { ...common, value: text, pattern, onInput: change });
  }
  return h(
    "div",
    { class: `field ${kind}` },
    h("label", { htmlFor: id }, title),
    input,
    h("small", { id: `${id}-text` }, description),
  );
}
