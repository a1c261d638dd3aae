/**
 * Motion, only when a piece moves: what is new in a part of the drawing appears, and what is new at the
 * end of the path of a move slides there from its beginning. None for people who want no motion.
 */
import { boxOf, partOf } from "./marks.js";

const PARTS = "[data-part]";
const SHORT = { duration: 160, easing: "ease-out" };

/** Whether the person wants as little motion as possible. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Animate the difference between two drawings.
 * @param {SVGSVGElement} before
 * @param {SVGSVGElement} after the drawing in the page
 * @param {string[]} path of the move between them
 */
export function animate(before, after, path) {
  if (calm()) return;
  const [from, to] = [partOf(after, path[0] ?? ""), partOf(after, path.at(-1) ?? "")];
  for (const part of after.querySelectorAll(PARTS)) {
    const old = partOf(before, part.getAttribute("data-part") ?? "");
    if (!old) continue;
    const known = new Set([...old.children].map((each) => each.outerHTML));
    for (const each of part.children) {
      // Parts inside are compared by themselves.
      if (known.has(each.outerHTML) || each.matches(PARTS) || each.querySelector(PARTS)) continue;
      if (from && part === to && from !== to) slide(after, each, from);
      else each.animate({ opacity: [0.2, 1] }, SHORT);
    }
  }
}

/**
 * @param {SVGSVGElement} drawing
 * @param {Element} piece
 * @param {SVGGraphicsElement} from where it comes from
 */
function slide(drawing, piece, from) {
  const shape = /** @type {SVGGraphicsElement} */ (piece);
  const [there, here] = [boxOf(drawing, from), boxOf(drawing, shape)];
  const [x, y] = [there.x - here.x, there.y - here.y];
  // The shape may have a transform of its own, which stays in effect.
  const own = shape.getAttribute("transform") ?? "";
  const place = getComputedStyle(shape).transform;
  const rest = own ? place : "none";
  const start = `translate(${x}px, ${y}px) ${own ? place : ""}`.trim();
  shape.animate({ transform: [start, rest] }, SHORT);
}
