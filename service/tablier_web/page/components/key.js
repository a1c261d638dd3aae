/** The dialog that asks for a key. The key is handed over, and forgotten here. */
import { Component, createRef, h } from "../vendor/preact.js";
import { t } from "../texts.js";

/** @extends {Component<{rejected: boolean, onKey: (key: string) => void}>} */
export class KeyDialog extends Component {
  #dialog = createRef();
  #input = createRef();

  /** @override */
  componentDidMount() {
    this.#dialog.current.showModal();
  }

  /** @param {Event} event */
  #submit = (event) => {
    event.preventDefault();
    const key = this.#input.current.value.trim();
    this.#input.current.value = "";
    if (key) this.props.onKey(key);
  };

  /** @override */
  render() {
    return h(
      "dialog",
      {
        class: "key",
        ref: this.#dialog,
        "aria-labelledby": "key-title",
        // Without a key, there is nothing to go back to.
        onCancel: (/** @type {Event} */ event) => event.preventDefault(),
      },
      h(
        "form",
        { onSubmit: this.#submit },
        h("h2", { id: "key-title" }, t("keyHeading")),
        this.props.rejected && h("p", { class: "error", role: "alert" }, t("keyRejected")),
        h(
          "label",
          { class: "field" },
          h("span", null, t("key")),
          h("input", { ref: this.#input, type: "password", autocomplete: "off", required: true }),
        ),
        h("p", { class: "quiet" }, t("keyHint")),
        h("p", { class: "actions" }, h("button", { class: "primary" }, t("useKey"))),
      ),
    );
  }
}
