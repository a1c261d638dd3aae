/** The line at the top: the game, a new one, the rules, the API, language and theme. */
import { h } from "../vendor/preact.js";
import { language, languages, t } from "../texts.js";
import { titleOf } from "./setup.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("./app.js").Page} Page
 */

/** @param {{table: Table, page: Page}} props */
export function Header({ table, page }) {
  const { game } = table;
  return h(
    "header",
    { class: "top" },
    h(
      "a",
      { class: "brand", href: "#", onClick: (/** @type {Event} */ event) => page.home(event) },
      t("title"),
    ),
    game && h("h1", { class: "visually-hidden" }, titleOf(game)),
    game &&
      h(Choice, {
        name: "games",
        value: game.name,
        choices: table.games.map((each) => [each.name, titleOf(each)]),
        onChoose: page.openSetup,
      }),
    h(
      "nav",
      null,
      game && h("button", { onClick: () => page.openSetup(game.name) }, t("newGame")),
      page.tools.map((tool) => h(tool, { key: tool.name, table, page })),
      h("a", { href: `/rules${game ? `/${game.name}` : ""}?lang=${language()}` }, t("rules")),
      h("a", { href: "/docs" }, t("api")),
    ),
    h(Choice, {
      name: "language",
      value: language(),
      choices: languages.map((each) => [each, each.toUpperCase()]),
      onChoose: (chosen) => void page.setLanguage(chosen),
    }),
    h(Choice, {
      name: "theme",
      value: page.theme,
      choices: [
        ["", t("themeAuto")],
        ["light", t("themeLight")],
        ["dark", t("themeDark")],
        ["contrast", t("themeContrast")],
      ],
      onChoose: page.setTheme,
    }),
  );
}

/**
 * A choice that takes effect at once.
 * @param {object} props
 * @param {"games" | "language" | "theme"} props.name
 * @param {string} props.value
 * @param {string[][]} props.choices pairs of a value and its text
 * @param {(value: string) => void} props.onChoose
 */
function Choice({ name, value, choices, onChoose }) {
  return h(
    "select",
    {
      value,
      "aria-label": t(name),
      class: name,
      onChange: (/** @type {Event} */ event) =>
        onChoose(/** @type {HTMLSelectElement} */ (event.target).value),
    },
    choices.map(([each, text]) => h("option", { key: each, value: each }, text)),
  );
}
