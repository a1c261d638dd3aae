/** The seats: who plays, their points, and who is to move. */
import { h } from "../vendor/preact.js";
import { t } from "../texts.js";

/**
 * @typedef {import("../table.js").Table} Table
 * @typedef {import("../types.d.ts").Player} Player
 */

const LEVELS = Array.from({ length: 10 }, (_, index) => index + 1);

/** @param {{table: Table}} props */
export function Seats({ table }) {
  const { situation } = table.node ?? {};
  if (!situation) return null;
  const actors = situation.actors ?? [];
  return h(
    "section",
    { class: "seats", "aria-label": t("seatsHeading") },
    h(
      "ul",
      null,
      table.players.map((player, seat) => {
        const moving = !situation.over && actors.includes(seat);
        const points = situation.scores?.[seat] ?? 0;
        const result = situation.over ? outcome(situation.returns?.[seat] ?? 0) : "";
        return h(
          "li",
          { key: seat, class: moving ? "moving" : "" },
          h(
            "span",
            { class: "seat" },
            t("seat", { seat }),
            moving && h("span", { class: "visually-hidden" }, ` (${t("toMove")})`),
          ),
          table.viewOnly
            ? h("span", { class: "quiet" }, seat === table.viewer && t("you"))
            : h(PlayerChoice, {
                player,
                seat,
                onChange: (chosen) => void table.seat(seat, chosen),
              }),
          h("span", { class: "points", title: t("points", { points }) }, format(points)),
          result && h("span", { class: "result" }, result),
        );
      }),
    ),
  );
}

/** @param {{player: Player, seat: number, onChange: (player: Player) => void}} props */
export function PlayerChoice({ player, seat, onChange }) {
  /** @param {Event} event */
  const change = (event) => {
    const level = Number(/** @type {HTMLSelectElement} */ (event.target).value);
    onChange(level ? { kind: "bot", level } : { kind: "person", level: player.level });
  };
  const value = player.kind === "person" ? 0 : player.level;
  return h(
    "select",
    { value, onChange: change, "aria-label": t("whoPlays", { seat }), "data-seat": seat },
    h("option", { value: 0 }, t("person")),
    LEVELS.map((level) => h("option", { key: level, value: level }, t("level", { level }))),
  );
}

/** @param {number} value */
function outcome(value) {
  return value > 0 ? t("winner") : value < 0 ? t("loser") : t("even");
}

/** @param {number} points */
function format(points) {
  return Number.isInteger(points) ? String(points) : points.toFixed(1);
}
