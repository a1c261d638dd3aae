/**
 * Keeps the keyboard where the game is: a move that was made takes its button or part with it, and the
 * next decision may be a part of the board or a button.
 */
const BOARD = ".board";

/** Put the focus on the board, which hands it on to what can be chosen next. */
export function focusBoard() {
  /** @type {HTMLElement | null} */ (document.querySelector(BOARD))?.focus({ preventScroll: true });
}

/** Put the focus on the first button below the board, if there is one. */
export function focusButton() {
  /** @type {HTMLElement | null} */ (document.querySelector(".builder button"))?.focus();
}
