/**
 * Drawings of the service as elements of the page, so that their parts can be clicked. Only known
 * elements and attributes are copied: no scripts, handlers, links or styles.
 */

const SVG = "http://www.w3.org/2000/svg";
const ELEMENTS = new Set(
  (
    "svg g rect circle ellipse line polyline polygon path text tspan title desc defs clipPath " +
    "marker"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "x y x1 y1 x2 y2 cx cy r rx ry dx dy d points width height viewBox transform fill fill-opacity " +
    "fill-rule stroke stroke-width stroke-opacity stroke-dasharray stroke-linecap stroke-linejoin " +
    "opacity font-family font-size font-weight font-style text-anchor dominant-baseline " +
    "letter-spacing paint-order pointer-events role aria-label aria-hidden data-part preserveAspectRatio"
  ).split(" "),
);

// The result is only parsed into a document of its own, where nothing runs, and then copied below.
/** @typedef {{createHTML: (text: string) => string}} Policy */
const rules = { createHTML: (/** @type {string} */ text) => text };
/** @type {{createPolicy: (name: string, rules: Policy) => Policy} | undefined} */
const trustedTypes = Reflect.get(window, "trustedTypes");
const policy = trustedTypes?.createPolicy("drawing", rules) ?? rules;

/**
 * @param {string} text an SVG document
 * @returns {SVGSVGElement}
 */
export function readDrawing(text) {
  const parsed = new DOMParser().parseFromString(policy.createHTML(text), "image/svg+xml");
  const root = parsed.documentElement;
  if (root.localName !== "svg" || root.namespaceURI !== SVG) throw new Error("not a drawing");
  return /** @type {SVGSVGElement} */ (copy(root));
}

/** @param {Element} element @returns {SVGElement} */
function copy(element) {
  const made = document.createElementNS(SVG, element.localName);
  for (const { name, value } of element.attributes) {
    if (ATTRIBUTES.has(name) && !/url\(|javascript:/i.test(value)) made.setAttribute(name, value);
  }
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      made.append(child.nodeValue ?? "");
    } else if (child instanceof Element) {
      if (child.namespaceURI === SVG && ELEMENTS.has(child.localName)) made.append(copy(child));
    }
  }
  return made;
}
