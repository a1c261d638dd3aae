/**
 * What a person prefers on this device: language and theme. Nothing else is ever stored; games and
 * keys stay in memory.
 */
const PREFIX = "tablier.";

/** @param {"language" | "theme"} name */
export function preference(name) {
  try {
    return localStorage.getItem(PREFIX + name) ?? "";
  } catch {
    return "";
  }
}

/** @param {"language" | "theme"} name @param {string} value */
export function prefer(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}
