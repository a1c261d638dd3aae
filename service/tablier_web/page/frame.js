/** Starts the page for frames in other pages: a game from a link, to look at and step through. */
import { Component, h, render } from "./vendor/preact.js";
import { Api, ApiError } from "./api.js";
import { openLink } from "./opening.js";
import { Table } from "./table.js";
import { preferredLanguage, t, useLanguage } from "./texts.js";
import { Board } from "./components/board.js";
import { Steps } from "./components/moves.js";
import { titleOf } from "./components/setup.js";

await useLanguage(preferredLanguage());
const api = new Api();
api.language = document.documentElement.lang;
// Another page could imitate or cover a dialog, so no key is ever typed here.
api.askKey = () => Promise.reject(new ApiError(401, t("frameKey"), []));
const table = new Table(api);
table.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
document.documentElement.dataset.theme = table.theme;
const link = location.hash.slice(1);

/** @extends {Component} */
class Frame extends Component {
  /** @override */
  componentDidMount() {
    table.onchange = () => this.forceUpdate();
    void openLink(table, link, true);
  }

  /** @override */
  render() {
    const { game, node, viewer, before } = table;
    const last = node && (node.words.get(viewer) ?? before.seen.at(-1)?.words ?? t("start"));
    return h(
      "main",
      { class: "embedded" },
      h("h1", { class: "visually-hidden" }, game ? titleOf(game) : t("title")),
      table.error && h("p", { class: "error", role: "alert" }, table.error),
      h(Board, { table }),
      h(
        "p",
        { class: "story" },
        h("span", { role: "status" }, last),
        h("a", { href: `/#${link}`, target: "_blank", rel: "noopener" }, t("title")),
      ),
      node && (node.parent || node.children[0]) && h(Steps, { table }),
    );
  }
}

const root = document.getElementById("table");
if (root) render(h(Frame, null), root);
