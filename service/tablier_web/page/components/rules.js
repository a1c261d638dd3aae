/** The rules of the game next to the board: the page of the service, in a frame. */
import { h } from "../vendor/preact.js";
import { language, t } from "../texts.js";

/** @param {import("./panels.js").PanelProps} props */
export function Rules({ table }) {
  if (!table.game) return null;
  return h(
    "details",
    { class: "rules" },
    h("summary", null, t("rules")),
    h("iframe", {
      src: `/rules/${table.game.name}?lang=${language()}`,
      title: t("rules"),
      loading: "lazy",
      // The page needs no script, and the table has its links.
      sandbox: "allow-same-origin",
      onLoad: (/** @type {Event} */ event) =>
        /** @type {HTMLIFrameElement} */ (event.target).contentDocument
          ?.querySelector("nav")
          ?.remove(),
    }),
  );
}
