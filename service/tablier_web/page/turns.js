/**
 * Whose turn it is at this table: which seat the page asks, and which a bot plays. Pure functions of
 * the situation and of the players.
 *
 * @typedef {import("./types.d.ts").Situation} Situation
 * @typedef {import("./types.d.ts").Player} Player
 *
 * @typedef {object} Turn
 * @property {"over" | "person" | "bot"} kind
 * @property {number} seat the person to ask, or -1
 * @property {number[]} bots the bots that may move now
 * @property {number[]} persons the other persons that may move now
 */

export const DEFAULT_LEVEL = 3;

/**
 * Players for every seat: those given, then bots; a person first if none is given.
 * @param {Player[]} players
 * @param {number} seats
 * @returns {Player[]}
 */
export function fill(players, seats) {
  return Array.from({ length: seats }, (_, seat) => {
    /** @type {Player} */
    const other = { kind: seat || players.length ? "bot" : "person", level: DEFAULT_LEVEL };
    return players[seat] ?? other;
  });
}

/**
 * The next turn. A person goes before the bots, and may let others go first; `asked` is the person
 * who was asked last and goes on if they can.
 * @param {Situation} situation
 * @param {Player[]} players
 * @param {number} asked
 * @returns {Turn}
 */
export function nextTurn(situation, players, asked) {
  const actors = situation.over ? [] : (situation.actors ?? []);
  const persons = actors.filter((seat) => players[seat]?.kind === "person");
  const bots = actors.filter((seat) => players[seat]?.kind !== "person");
  if (!actors.length) return { kind: "over", seat: -1, bots, persons };
  if (!persons.length) return { kind: "bot", seat: -1, bots, persons };
  const seat = persons.includes(asked) ? asked : (persons[0] ?? -1);
  return { kind: "person", seat, bots, persons: persons.filter((each) => each !== seat) };
}

/**
 * The seats that persons play.
 * @param {Player[]} players
 */
export function personSeats(players) {
  return players.flatMap((player, seat) => (player.kind === "person" ? [seat] : []));
}

/**
 * Whether the view must be hidden while the screen is passed from seat to seat.
 * @param {boolean} hidden whether the game has hidden information
 * @param {Player[]} players
 * @param {number} viewer the seat that the page shows
 * @param {number} seat the seat to ask
 */
export function needsCurtain(hidden, players, viewer, seat) {
  return hidden && viewer !== seat && personSeats(players).length > 1;
}
