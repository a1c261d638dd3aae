/** A field for the view token of a seat, which the host of a game hands out. */
import { createRef, h } from "../vendor/preact.js";
import { t } from "../texts.js";

/** @param {{table: import("../table.js").Table}} props */
export function ViewForm({ table }) {
  const input = createRef();
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    const token = input.current.value.trim();
    if (token) void table.openView(token);
  };
  return h(
    "form",
    { class: "typed", onSubmit: submit },
    h("input", {
      ref: input,
      id: "view-token",
      placeholder: t("viewToken"),
      "aria-label": t("viewToken"),
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: false,
      required: true,
    }),
    h("button", null, t("open")),
  );
}
