/**
 * The board: the drawing of the service, with parts that can be clicked and reached by keyboard.
 */
import { Component, createRef, h } from "../vendor/preact.js";
import { readDrawing } from "../drawing.js";
import { Marks, boxOf, partOf } from "../marks.js";
import { animate } from "../motion.js";
import { consequence } from "../paths.js";
import { t } from "../texts.js";
import { focusBoard, focusButton } from "./focus.js";

/** @typedef {import("../table.js").Table} Table */

const PART = "data-part";
// Wide drawings are laid out for steps of the width, so that a small change draws nothing again.
const WIDTH_STEP = 80;
// Text in drawings has 13 pixels; a drawing is never shrunk below this scale to fit the height.
const LEAST_SCALE = 0.85;
// Between the board and what is below it, and at the bottom of the window.
const MARGINS = 20;

/** An area that takes clicks between the shapes of a part. @param {Element} part */
function areaOf(part) {
  const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (part).getBBox();
  const area = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ class: "area", x, y, width, height })) {
    area.setAttribute(name, String(value));
  }
  return area;
}

/** @extends {Component<{table: Table}>} */
export class Board extends Component {
  #place = createRef();
  /** @type {SVGSVGElement | null} */
  #drawing = null;
  /** @type {Marks | null} */
  #marks = null;
  #text = "";
  /** The position of the drawing. @type {import("../tree.js").Node | null} */
  #shown = null;
  /** The part that Tab reaches. */
  #current = "";
  /** @type {ResizeObserver | null} */
  #observer = null;

  /** @override */
  componentDidMount() {
    this.#observer = new ResizeObserver(() => this.#measure());
    this.#observer.observe(this.#place.current);
    // At once, so that the first drawing has the right width.
    this.#update();
  }

  /** @override */
  componentDidUpdate() {
    this.#update();
  }

  /** @override */
  componentWillUnmount() {
    this.#observer?.disconnect();
  }

  #measure() {
    const { table } = this.props;
    const width = this.#place.current.clientWidth;
    // A covered board has none.
    if (!width) return;
    const drawn = Math.max(320, Math.floor(width / WIDTH_STEP) * WIDTH_STEP);
    if (drawn !== table.width) {
      table.width = drawn;
      void table.redraw();
    }
    this.#fit();
  }

  /** Fit the drawing into the window, but keep its texts readable. */
  #fit() {
    const drawing = this.#drawing;
    if (!drawing) return;
    const { width, height } = drawing.viewBox.baseVal;
    const place = this.#place.current;
    const room = Math.max(
      240,
      innerHeight - place.getBoundingClientRect().top - scrollY - this.#below(),
    );
    // A drawing that would not fit anyway is not made smaller.
    const fitting = room / height < LEAST_SCALE ? 1 : room / height;
    const scale = Math.min(place.clientWidth / width, fitting);
    drawing.style.width = `${Math.floor(width * scale)}px`;
    drawing.style.height = `${Math.floor(height * scale)}px`;
    // What is below the board is as wide.
    place.parentElement?.style.setProperty("--board", drawing.style.width);
  }

  /** The height of what is below the board, with its margins. */
  #below() {
    let height = MARGINS;
    for (let each = this.#place.current.nextElementSibling; each; each = each.nextElementSibling) {
      height += each.getBoundingClientRect().height;
    }
    return height;
  }

  #update() {
    const { table } = this.props;
    const focused = this.#place.current.contains(document.activeElement);
    if (table.drawing !== this.#text) {
      this.#text = table.drawing;
      this.#replace();
    }
    this.#measure();
    this.#activate();
    if (focused) this.#handOn();
  }

  /** Give the focus of the board to what can be chosen; until there is something, keep it. */
  #handOn() {
    const { table } = this.props;
    if (table.narrowed.next.length) this.#focus(this.#current);
    else if (table.canMove && !table.busy) focusButton();
    else focusBoard();
  }

  #replace() {
    const place = this.#place.current;
    if (!this.#text) {
      this.#drawing = this.#marks = null;
      place.replaceChildren();
      return;
    }
    const [drawing, before] = [readDrawing(this.#text), this.#drawing];
    const title = drawing.querySelector("title");
    // As a label, it does not pop up over the board.
    drawing.setAttribute("aria-label", title?.textContent ?? t("board"));
    drawing.setAttribute("role", "group");
    drawing.removeAttribute("width");
    title?.remove();
    place.replaceChildren(drawing);
    this.#drawing = drawing;
    this.#marks = new Marks(drawing);
    const { table } = this.props;
    const moved = table.shown !== this.#shown && table.shown?.parent === this.#shown;
    if (before && moved && table.shown) {
      animate(before, drawing, table.sees(table.shown) ? table.shown.parts : []);
    }
    this.#shown = table.shown;
  }

  /** Make the parts that can be chosen now clickable, and mark them. */
  #activate() {
    const { table } = this.props;
    const [drawing, marks] = [this.#drawing, this.#marks];
    if (!drawing || !marks) return;
    const { narrowed, chosen } = table;
    const next = new Set(narrowed.next);
    for (const part of drawing.querySelectorAll(`[${PART}]`)) {
      const name = part.getAttribute(PART) ?? "";
      this.#label(part, name, next.has(name));
    }
    marks.clear();
    if (!chosen.length && table.node && table.sees(table.node)) {
      marks.outline(table.node.parts, "last");
    }
    marks.outline(narrowed.next, chosen.length ? "next" : "start");
    marks.outline(table.hints.parts, "hint");
    marks.outline(chosen, "chosen");
    for (const arrow of table.hints.arrows) marks.arrow(arrow);
    if (!next.has(this.#current)) this.#current = narrowed.next[0] ?? "";
    partOf(drawing, this.#current)?.setAttribute("tabindex", "0");
  }

  /** @param {Element} part @param {string} name @param {boolean} active */
  #label(part, name, active) {
    const { table } = this.props;
    const own = part.getAttribute("data-label") ?? part.getAttribute("aria-label") ?? "";
    part.setAttribute("data-label", own);
    part.classList.toggle("active", active);
    if (!active) {
      part.removeAttribute("tabindex");
      if (own) {
        part.setAttribute("role", "img");
        part.setAttribute("aria-label", own);
      } else {
        part.removeAttribute("role");
        part.removeAttribute("aria-label");
      }
      return;
    }
    if (!part.querySelector(":scope > .area")) part.prepend(areaOf(part));
    const { move, count } = consequence(table.narrowed, table.chosen.length, name);
    const effect = move ? move.words : t("count", { count });
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "-1");
    part.setAttribute("aria-label", own ? `${own}: ${effect}` : effect);
  }

  /** The part that an event is for: the innermost one that can be chosen. @param {Event} event */
  #target(event) {
    const { next } = this.props.table.narrowed;
    let part = /** @type {Element} */ (event.target).closest(`[${PART}]`);
    while (part && !next.includes(part.getAttribute(PART) ?? "")) {
      part = part.parentElement?.closest(`[${PART}]`) ?? null;
    }
    return part?.getAttribute(PART) ?? "";
  }

  /** @param {MouseEvent} event */
  #click = (event) => {
    const part = this.#target(event);
    if (!part) return;
    this.#current = part;
    this.props.table.choose(part);
  };

  /** @param {KeyboardEvent} event */
  #press = (event) => {
    const { table } = this.props;
    const { next } = table.narrowed;
    const index = next.indexOf(this.#current);
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key === "Enter" || event.key === " ") {
      const part = this.#target(event);
      if (part) table.choose(part);
    } else if (event.key in steps) {
      const step = steps[/** @type {keyof typeof steps} */ (event.key)];
      this.#focus(next[(index + step + next.length) % next.length] ?? "");
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.#focus(this.#vertical(event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Home" || event.key === "End") {
      this.#focus((event.key === "Home" ? next[0] : next[next.length - 1]) ?? "");
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  /** The nearest part that can be chosen below (1) or above (-1) the current one. @param {1 | -1} sign */
  #vertical(sign) {
    const drawing = this.#drawing;
    const here = drawing && this.#middle(this.#current);
    if (!drawing || !here) return this.#current;
    let best = this.#current;
    let least = Infinity;
    for (const name of this.props.table.narrowed.next) {
      const there = this.#middle(name);
      if (!there || (there.y - here.y) * sign < 4) continue;
      const distance = Math.abs(there.y - here.y) + 2 * Math.abs(there.x - here.x);
      if (distance < least) [best, least] = [name, distance];
    }
    return best;
  }

  /** @param {string} name */
  #middle(name) {
    const part = this.#drawing && partOf(this.#drawing, name);
    if (!part || !this.#drawing) return null;
    const { x, y, width, height } = boxOf(this.#drawing, part);
    return { x: x + width / 2, y: y + height / 2 };
  }

  /** @param {string} name */
  #focus(name) {
    const drawing = this.#drawing;
    if (!drawing) return;
    const part = partOf(drawing, name);
    if (!part) return;
    partOf(drawing, this.#current)?.setAttribute("tabindex", "-1");
    this.#current = name;
    part.setAttribute("tabindex", "0");
    part.focus();
  }

  /** @param {FocusEvent} event */
  #focusIn = (event) => {
    const name = /** @type {Element} */ (event.target).getAttribute(PART) ?? "";
    if (name) this.#current = name;
    this.#marks?.erase("focus");
    if (name && /** @type {Element} */ (event.target).matches(":focus-visible")) {
      this.#marks?.outline([name], "focus");
    }
  };

  #focusOut = () => {
    this.#marks?.erase("focus");
  };

  /** @override */
  render() {
    const { table } = this.props;
    return h("div", {
      class: table.curtain >= 0 ? "board covered" : "board",
      ref: this.#place,
      tabIndex: -1,
      onClick: this.#click,
      onKeyDown: this.#press,
      onFocusIn: this.#focusIn,
      onFocusOut: this.#focusOut,
    });
  }
}
