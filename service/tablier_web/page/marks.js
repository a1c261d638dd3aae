/**
 * Marks on a drawing: outlines around its parts, and arrows between them. They are drawn by the page
 * itself, at once, and take no clicks.
 */
const SVG = "http://www.w3.org/2000/svg";
const GAP = 2;
const TIP = 12;
const FAINTER = 0.75;

/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box
 *
 * @typedef {object} Arrow between two parts
 * @property {string} from
 * @property {string} to
 * @property {number} later how many moves go before it; later ones are fainter
 */

/**
 * @param {SVGSVGElement} drawing
 * @param {string} name
 * @returns {SVGGraphicsElement | null}
 */
export function partOf(drawing, name) {
  return drawing.querySelector(`[data-part="${CSS.escape(name)}"]`);
}

/**
 * Where a part is, in the coordinates of the drawing.
 * @param {SVGSVGElement} drawing
 * @param {SVGGraphicsElement} part
 * @returns {Box}
 */
export function boxOf(drawing, part) {
  const { x, y, width, height } = part.getBBox();
  const matrix = drawing
    .getScreenCTM()
    ?.inverse()
    .multiply(part.getScreenCTM() ?? new DOMMatrix());
  const one = new DOMPoint(x, y).matrixTransform(matrix);
  const other = new DOMPoint(x + width, y + height).matrixTransform(matrix);
  const [left, top] = [rounded(one.x), rounded(one.y)];
  return { x: left, y: top, width: rounded(other.x - left), height: rounded(other.y - top) };
}

/** Without the noise of the transformations. @param {number} value */
function rounded(value) {
  return Math.round(value * 100) / 100;
}

/** @param {string} tag @param {Record<string, string | number>} attributes @returns {SVGElement} */
function element(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

/** A layer for marks on top of a drawing. */
export class Marks {
  /** @param {SVGSVGElement} drawing */
  constructor(drawing) {
    this.drawing = drawing;
    this.layer = element("g", { class: "marks", "aria-hidden": "true", "pointer-events": "none" });
    drawing.append(this.layer);
  }

  clear() {
    this.layer.replaceChildren();
  }

  /** Remove the outlines of a kind. @param {string} kind */
  erase(kind) {
    for (const each of this.layer.querySelectorAll(`.${kind}`)) each.remove();
  }

  /** Outline parts; the kind is a class of the style sheet. @param {Iterable<string>} names @param {string} kind */
  outline(names, kind) {
    for (const name of names) {
      const part = partOf(this.drawing, name);
      if (!part) continue;
      const { x, y, width, height } = boxOf(this.drawing, part);
      const frame = {
        x: x - GAP,
        y: y - GAP,
        width: width + 2 * GAP,
        height: height + 2 * GAP,
        rx: 6,
      };
      this.layer.append(element("rect", { class: `mark ${kind}`, "data-mark": name, ...frame }));
      // The rim below all marks keeps them visible on boards of their colour.
      this.layer.prepend(element("rect", { class: `rim ${kind}`, ...frame }));
    }
  }

  /** @param {Arrow} drawn */
  arrow({ from, to, later }) {
    const [start, end] = [partOf(this.drawing, from), partOf(this.drawing, to)];
    if (!start || !end || start === end) return;
    const [one, other] = [start, end].map((part) => {
      const { x, y, width, height } = boxOf(this.drawing, part);
      return { x: x + width / 2, y: y + height / 2 };
    });
    if (!one || !other) return;
    const length = Math.hypot(other.x - one.x, other.y - one.y) || 1;
    const [dx, dy] = [(other.x - one.x) / length, (other.y - one.y) / length];
    const [x, y] = [other.x - TIP * dx, other.y - TIP * dy];
    const points = `${other.x},${other.y} ${x - 7 * dy},${y + 7 * dx} ${x + 7 * dy},${y - 7 * dx}`;
    const arrow = element("g", { class: "arrow", opacity: FAINTER ** (later + 1) });
    arrow.append(
      element("line", { x1: one.x, y1: one.y, x2: x, y2: y }),
      element("polygon", { points }),
    );
    this.layer.append(arrow);
  }
}
