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
    game && h("h1", { class: "playing" }, titleOf(game)),
    h(
      "nav",
      null,
      game && h("button", { onClick: () => page.openSetup(game.name) }, t("newGame")),
      page.tools.map((tool) => h(tool, { key: tool.name, table, page })),
      h("a", { href: `/rules${game ? `/${game.name}` : ""}?lang=${language()}` }, t("rules")),
      h("a", { href: "/docs" }, t("api")),
    ),
    h(
      "select",
      {
        value: language(),
        "aria-label": t("language"),
        class: "language",
        onChange: (/** @type {Event} */ event) =>
          void page.setLanguage(/** @type {HTMLSelectElement} */ (event.target).value),
      },
      languages.map((each) => h("option", { key: each, value: each }, each.toUpperCase())),
    ),
    h(
      "select",
      {
        value: page.theme,
        "aria-label": t("theme"),
        class: "theme",
        onChange: (/** @type {Event} */ event) =>
          page.setTheme(/** @type {HTMLSelectElement} */ (event.target).value),
      },
      h("option", { value: "" }, t("themeAuto")),
      h("option", { value: "light" }, t("themeLight")),
      h("option", { value: "dark" }, t("themeDark")),
      h("option", { value: "contrast" }, t("themeContrast")),
    ),
  );
}
