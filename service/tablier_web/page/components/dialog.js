/** A dialog, and what several dialogs have: texts to copy and files to save. */
import { Component, createRef, h } from "../vendor/preact.js";
import { t } from "../texts.js";

/** @extends {Component<{title: string, name: string, onClose: () => void, children?: any}>} */
export class Dialog extends Component {
  #dialog = createRef();

  /** @override */
  componentDidMount() {
    this.#dialog.current.showModal();
  }

  /** @override */
  render() {
    const { title, name, onClose, children } = this.props;
    return h(
      "dialog",
      { class: name, ref: this.#dialog, onClose, "aria-labelledby": `${name}-title` },
      h("h2", { id: `${name}-title` }, title),
      children,
      h("p", { class: "actions" }, h("button", { onClick: onClose }, t("close"))),
    );
  }
}

/**
 * A button that copies a text.
 * @extends {Component<{text: string | (() => Promise<string>), label?: string, describe?: string}, {done: string}>}
 */
export class Copy extends Component {
  /** @override */
  state = { done: "" };

  #copy = async () => {
    const { text } = this.props;
    const copied = typeof text === "string" ? text : await text();
    // Only pages from this computer or with TLS may write to the clipboard.
    const written = navigator.clipboard?.writeText(copied) ?? Promise.reject();
    const done = await written.then(
      () => "copied",
      () => "notCopied",
    );
    this.setState({ done });
  };

  /** @override */
  render() {
    const { label = t("copy"), describe } = this.props;
    const done = /** @type {"copied" | "notCopied" | ""} */ (this.state.done);
    return h(
      "button",
      { type: "button", class: "copy", onClick: this.#copy, "aria-label": describe },
      label,
      h("span", { role: "status" }, done && ` ${t(done)}`),
    );
  }
}

/**
 * A text to copy, with its name.
 * @param {{label: string, text: string, hint?: string}} props
 */
export function Copied({ label, text, hint }) {
  return h(
    "div",
    { class: "copied" },
    h(
      "label",
      null,
      h("span", { class: "name" }, label),
      h("input", {
        readOnly: true,
        value: text,
        onFocus: (/** @type {Event} */ event) =>
          /** @type {HTMLInputElement} */ (event.target).select(),
      }),
    ),
    h(Copy, { text, describe: `${t("copy")}: ${label}` }),
    hint && h("small", null, hint),
  );
}

/** Save a file. @param {Blob} content @param {string} name */
export function save(content, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}
