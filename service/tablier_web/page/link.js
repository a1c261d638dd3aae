/**
 * Links: a game, a position or the view of a seat as a text for the fragment of an address, which
 * browsers never send to a service. The text is a version, then compressed JSON in base64url; its
 * checksum detects damage. Without DOM.
 *
 * @typedef {import("./types.d.ts").Player} Player
 * @typedef {import("./types.d.ts").Entry} Entry
 * @typedef {import("./types.d.ts").Seen} Seen
 *
 * @typedef {object} Link
 * @property {"game" | "state" | "view"} kind a game from its start, a state token, or a view token
 * @property {string} game
 * @property {number} rules the version of the rules
 * @property {Player[]} players
 * @property {number} viewer the seat that the screen shows
 * @property {boolean} following whether bots go on
 * @property {Record<string, unknown>} options those that the game was started with
 * @property {string} seed of a game
 * @property {Entry[]} entries the moves of a game, variations included
 * @property {number} at the number of the entry to show; 0 for the start
 * @property {string} token of a state or a view
 * @property {Seen[]} seen the moves before the token, as the viewer saw them
 */

const VERSION = "1";
// What a link may grow to, so that a forged one cannot fill the memory.
const MOST_BYTES = 1 << 20;
const KINDS = /** @type {const} */ (["game", "state", "view"]);

/** Why a link cannot be opened: `damaged`, or made by another `version` of the page. */
export class LinkError extends Error {
  /** @param {"damaged" | "version"} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

/** @param {Link} link @returns {Promise<string>} */
export async function encodeLink(link) {
  const { kind, game, rules, players, viewer, following } = link;
  const head = [
    KINDS.indexOf(kind),
    game,
    rules,
    players.map((player) => (player.kind === "person" ? 0 : player.level)),
    viewer,
    Number(following),
    link.options,
  ];
  // Nearly all moves continue the one before: small numbers, which compress well.
  const rest =
    kind === "game"
      ? [
          link.seed,
          link.at,
          link.entries.flatMap((each, index) => [each.seat, each.action ?? 0, index - each.parent]),
        ]
      : [link.token, link.seen.map(({ seat, notation, words }) => [seat, notation, words])];
  const text = JSON.stringify([...head, ...rest]);
  const bytes = await through(new CompressionStream("deflate"), new TextEncoder().encode(text));
  return VERSION + toBase64Url(bytes);
}

/** @param {string} text @returns {Promise<Link>} */
export async function decodeLink(text) {
  if (/^\d/.test(text) && !text.startsWith(VERSION)) throw new LinkError("version");
  try {
    const bytes = fromBase64Url(text.slice(VERSION.length));
    const read = await through(new DecompressionStream("deflate"), bytes);
    return linkOf(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(read)));
  } catch {
    throw new LinkError("damaged");
  }
}

/** @param {any[]} read @returns {Link} */
function linkOf([kind, game, rules, players, viewer, following, options, ...rest]) {
  /** @type {Link} */
  const link = {
    kind: KINDS[kind] ?? fail(),
    game: /^[\w-]+$/.test(game) ? game : fail(),
    rules: whole(rules),
    players: players.map((/** @type {unknown} */ level) => ({
      kind: level ? "bot" : "person",
      level: whole(level) || 3,
    })),
    viewer: whole(viewer),
    following: following === 1,
    options: typeof options === "object" && options ? options : fail(),
    seed: "",
    entries: [],
    at: 0,
    token: "",
    seen: [],
  };
  if (link.kind === "game") {
    const [seed, at, numbers] = rest;
    link.seed = /^\d+$/.test(seed) ? seed : fail();
    for (let index = 0; index < numbers.length; index += 3) {
      const number = index / 3;
      const [seat, action, back] = numbers.slice(index, index + 3).map(whole);
      const parent = number - back;
      if (parent < 0 || parent > number) fail();
      link.entries.push({ seat, action, parent });
    }
    link.at = whole(at) <= link.entries.length ? at : fail();
  } else {
    const [token, seen] = rest;
    link.token = /^[\w+/=-]+$/.test(token) ? token : fail();
    link.seen = seen.map((/** @type {[number, string, string]} */ [seat, notation, words]) => ({
      seat: whole(seat),
      notation: String(notation),
      words: String(words),
    }));
  }
  return link;
}

/** @returns {never} */
function fail() {
  throw new LinkError("damaged");
}

/** @param {unknown} value */
function whole(value) {
  return Number.isSafeInteger(value) ? Number(value) : fail();
}

/**
 * @param {CompressionStream | DecompressionStream} stream
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function through(stream, bytes) {
  const parts = [];
  let size = 0;
  for await (const part of new Blob([bytes]).stream().pipeThrough(stream)) {
    size += part.length;
    if (size > MOST_BYTES) fail();
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** @param {Uint8Array} bytes */
function toBase64Url(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of base64 or base64url. @param {string} text */
export function fromBase64Url(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
