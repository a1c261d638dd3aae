/**
 * The texts of the page. A language is one file in `languages/`; the service lists the files in the
 * document. Texts of games come from the service.
 *
 * @typedef {typeof import("./languages/en.js").default} Texts
 * @typedef {keyof Texts} TextName
 */
import english from "./languages/en.js";

/** @type {Texts} */
let current = english;
let code = "en";

export const languages = (document.documentElement.dataset.languages ?? "en").split(" ");

/**
 * A text, with its placeholders filled in.
 * @param {TextName} name
 * @param {Record<string, string | number>} [values]
 */
export function t(name, values = {}) {
  return current[name].replace(/\{(\w+)\}/g, (_, key) => String(values[key] ?? ""));
}

export function language() {
  return code;
}

/**
 * Use a language that the page has; others leave it as it is.
 * @param {string} wanted
 */
export async function useLanguage(wanted) {
  if (!languages.includes(wanted)) return;
  /** @type {{default: Texts}} */
  const loaded = await import(`./languages/${wanted}.js`);
  current = loaded.default;
  code = wanted;
  document.documentElement.lang = wanted;
}

/** The first language of the browser that the page has. */
export function preferredLanguage() {
  const wanted = navigator.languages.map((each) => each.split("-")[0] ?? "");
  return wanted.find((each) => languages.includes(each)) ?? "en";
}
