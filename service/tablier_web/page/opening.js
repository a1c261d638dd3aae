/**
 * Opening what others hand over, a link or a game record, at a table; and the link of what a table
 * shows. Only what the viewer may know, or a sealed token, becomes part of a link.
 */
import { ApiError } from "./api.js";
import { decodeLink, encodeLink, LinkError } from "./link.js";
import { readRecord, writeRecord } from "./record.js";
import { t } from "./texts.js";
import { endOf, grow, lineTo, listMoves, plant, rootOf } from "./tree.js";
import { fill, personSeats } from "./turns.js";

/**
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./tree.js").Node} Node
 * @typedef {import("./link.js").Link} Link
 * @typedef {import("./types.d.ts").Entry} Entry
 * @typedef {import("./types.d.ts").Seen} Seen
 */

const MOST_MOVES = 1024;

// ---- Opening -------------------------------------------------------------------------------------

/**
 * Open a link; says at the table why it cannot be opened. Returns whether it could.
 * @param {Table} table
 * @param {string} text
 * @param {boolean} [embedded] whether nobody plays here
 */
export async function openLink(table, text, embedded = false) {
  try {
    const link = await decodeLink(text);
    if (embedded) {
      link.players = link.players.map(({ level }) => ({ kind: "bot", level }));
      link.following = false;
    }
    await open(table, link, embedded);
    return true;
  } catch (error) {
    table.fail(explain(error));
    return false;
  }
}

/**
 * Open a game record as the game of one person and bots.
 * @param {Table} table
 * @param {string} text
 * @returns {Promise<string>} what is wrong with it, in words
 */
export async function openRecord(table, text) {
  try {
    const record = text.replaceAll("\r\n", "\n");
    const named = /^\[Game "([\w-]+)"\]$/m.exec(record)?.[1];
    if (!named) return t("noRecord");
    const replayed = { game: named, record };
    await table.api.post(`/v1/games/${named}:replay`, replayed);
    const { game, rules, options, seed, entries } = readRecord(record);
    const at = endNumber(entries);
    const { situation } = await table.api.post(`/v1/games/${game}:start`, { options, seed });
    const players = fill([], situation.seats);
    const base = { token: "", seen: [], viewer: 0, following: false };
    await open(table, { kind: "game", game, rules, options, seed, entries, at, players, ...base });
    return "";
  } catch (error) {
    return explain(error);
  }
}

/** The number of the last move of the main line. @param {Entry[]} entries */
function endNumber(entries) {
  let last = 0;
  entries.forEach(({ parent }, index) => {
    if (parent === last) last = index + 1;
  });
  return last;
}

/** Why something cannot be opened, in words. @param {unknown} error */
function explain(error) {
  if (error instanceof LinkError) {
    return t(error.reason === "damaged" ? "linkDamaged" : "linkVersion");
  }
  if (!(error instanceof ApiError)) throw error;
  if (error.reason === "UNKNOWN_GAME") return t("linkGame");
  if (error.reason === "TOKEN_MALFORMED") return t("linkKeys");
  return error.message;
}

/** The link is of other rules than the service has. */
class OtherRules extends ApiError {
  /** @param {number} made @param {number} served */
  constructor(made, served) {
    super(400, t("linkRules", { made, served }), []);
  }
}

/**
 * @param {Table} table
 * @param {Link} link
 * @param {boolean} [embedded]
 */
async function open(table, link, embedded = false) {
  const game = await table.details(link.game);
  const served = game.rulesVersion ?? 0;
  if (served !== link.rules) throw new OtherRules(link.rules, served);
  const { token, viewer, options, seed } = link;
  let node;
  if (link.kind === "game") {
    const started = await table.api.post(`/v1/games/${game.name}:start`, { options, seed });
    const nodes = await growAll(table, plant(started.state, started.situation), link);
    node = /** @type {Node} */ (nodes[link.at]);
  } else {
    const asked = { state: token, seat: viewer };
    const { situation } = await table.api.post("/v1/states:describe", asked);
    node = plant(token, situation);
  }
  table.game = game;
  table.started = { options, seed };
  table.viewOnly = link.kind === "view";
  table.players = fill(link.players, node.situation.seats);
  table.enter(node, link.following);
  table.before = { viewer, seen: link.seen };
  // Somebody else may have the screen; then the curtain asks for them.
  if (table.curtain < 0) table.viewer = viewer;
  await (embedded ? table.show() : table.go());
}

/**
 * All positions of a game: one call for every run of moves that follow one another.
 * @param {Table} table
 * @param {Node} root
 * @param {Link} link
 */
async function growAll(table, root, { entries, viewer }) {
  const nodes = [root];
  while (nodes.length <= entries.length) {
    const first = nodes.length;
    const run = [];
    for (let number = first; number <= entries.length && run.length < MOST_MOVES; number += 1) {
      const entry = /** @type {Entry} */ (entries[number - 1]);
      if (run.length && entry.parent !== number - 1) break;
      run.push(entry);
    }
    let parent = /** @type {Node} */ (nodes[run[0]?.parent ?? 0]);
    const moves = run.map(({ seat, action, notation }) =>
      notation ? { seat, notation } : { seat, action: action ?? 0 },
    );
    const wanted = { includeSteps: true, includeWords: true, viewer };
    const { steps } = await table.api.onState("applyMoves", {
      state: parent.state,
      moves,
      ...wanted,
    });
    for (const { state, situation, move, words } of steps) {
      parent = grow(parent, { state, situation, seat: move.seat ?? 0, move });
      parent.words.set(viewer, words);
      nodes.push(parent);
    }
  }
  return nodes;
}

// ---- Handing over --------------------------------------------------------------------------------

/**
 * The moves up to the position, as the viewer saw them.
 * @param {Table} table
 * @returns {Seen[]}
 */
function seenMoves({ node, viewer, before }) {
  if (!node) return [];
  const line = lineTo(node).slice(1);
  const shown = line.map(({ seat, move, words }) => ({
    seat,
    notation: move?.notation ?? "",
    words: words.get(viewer) ?? "",
  }));
  return [...(before.viewer === viewer ? before.seen : []), ...shown];
}

/**
 * What all links of a table have.
 * @param {Table} table
 * @returns {Omit<Link, "kind">}
 */
function baseOf({ game, players, viewer, following, started }) {
  return {
    game: game?.name ?? "",
    rules: game?.rulesVersion ?? 0,
    players,
    viewer,
    following,
    options: started.options,
    seed: "",
    entries: [],
    at: 0,
    token: "",
    seen: [],
  };
}

/** Whether the link of a table can be the whole game from its start. @param {Table} table */
export function sharesGame({ hidden, started, viewOnly }) {
  return !hidden && !viewOnly && started.seed !== "";
}

/**
 * The link of a whole game without hidden information.
 * @param {Table} table
 */
export function gameLink(table) {
  const node = /** @type {Node} */ (table.node);
  const { nodes, entries } = listMoves(rootOf(node));
  const { seed } = table.started;
  return encodeLink({ ...baseOf(table), kind: "game", seed, entries, at: nodes.indexOf(node) });
}

/**
 * The link of the position, with its state token: only for games without hidden information, or if
 * the token is sealed.
 * @param {Table} table
 */
export function stateLink(table) {
  // With several people at the screen, none of them may read what another has seen.
  const alone = personSeats(table.players).length < 2 || !table.hidden;
  const seen = alone ? seenMoves(table) : [];
  return encodeLink({ ...baseOf(table), kind: "state", token: table.node?.state ?? "", seen });
}

/**
 * The link of what the viewer sees: no moves can be made there.
 * @param {Table} table
 */
export async function viewLink(table) {
  const token = table.viewOnly ? (table.node?.state ?? "") : (await describe(table)).viewToken;
  const players = table.players.map((player, seat) => ({
    ...player,
    kind: seat === table.viewer ? /** @type {const} */ ("person") : /** @type {const} */ ("bot"),
  }));
  const base = { ...baseOf(table), players, following: false };
  return encodeLink({ ...base, kind: "view", token, seen: seenMoves(table) });
}

/**
 * The typed view of the position and its view token, for the viewer.
 * @param {Table} table
 * @returns {Promise<{situation: object, view: object, viewToken: string}>}
 */
export function describe({ api, node, viewer }) {
  return api.post("/v1/states:describe", { state: node?.state ?? "", seat: viewer });
}

/**
 * The record of the game: all of it, or what the viewer saw if something is hidden. Empty if its
 * beginning is unknown.
 * @param {Table} table
 * @returns {Promise<string>}
 */
export async function recordOf(table) {
  const { game, node, started, viewer } = table;
  if (!game || !node) return "";
  const base = { game: game.name, rules: game.rulesVersion ?? 0, options: started.options };
  if (sharesGame(table)) {
    const { entries } = listMoves(rootOf(node));
    const returns = endOf(rootOf(node)).situation.returns ?? [];
    const record = writeRecord({ ...base, seed: started.seed, viewer: -1, returns, entries });
    const body = { game: game.name, record, includeRecord: true };
    return (await table.api.post(`/v1/games/${game.name}:replay`, body)).record;
  }
  if (!table.hidden) return "";
  const returns = node.situation.returns ?? [];
  const entries = seenMoves(table).map((each, parent) => ({ ...each, parent }));
  return writeRecord({ ...base, seed: "", viewer, returns, entries });
}
