/**
 * Game records (docs/records.md): the text of a game, and what the page needs of one. The service
 * checks records; this only writes and reads well-formed ones. Pure.
 *
 * @typedef {import("./types.d.ts").Entry} Entry
 *
 * @typedef {object} GameRecord
 * @property {string} game
 * @property {number} rules
 * @property {Record<string, unknown>} options
 * @property {string} seed empty if it is unknown
 * @property {number} viewer the seat that saw the game; -1 for the whole game
 * @property {number[]} returns empty if the game is not over
 * @property {Entry[]} entries
 */

const FIRST_LINE = "Tablier game record 1";
const MOVE = /^ *\d+\. (?:seat (\d+)|table): (.*?)(?: (?:\[%|\{).*)?$/;

/** @param {GameRecord} record */
export function writeRecord(record) {
  const { game, rules, options, seed, viewer, returns, entries } = record;
  const lines = [
    FIRST_LINE,
    `[Game "${game}"]`,
    `[Rules "${rules}"]`,
    `[Options ${JSON.stringify(sorted(options))}]`,
    viewer < 0 ? `[Seed "${seed}"]` : `[Viewer "${viewer}"]`,
    `[Result "${returns.length ? returns.join(" ") : "*"}"]`,
    "",
    ...writeMoves(entries),
    "end",
  ];
  return `${lines.join("\n")}\n`;
}

/** @param {Entry[]} entries @returns {string[]} */
function writeMoves(entries) {
  /** The entries after each one, by number; 0 is the start. @type {number[][]} */
  const after = [[], ...entries.map(() => /** @type {number[]} */ ([]))];
  entries.forEach(({ parent }, index) => {
    after[parent]?.push(index + 1);
  });
  /** @type {string[]} */
  const lines = [];
  /** @param {number} number @param {number} depth @param {string} indent */
  function write(number, depth, indent) {
    const { seat, notation } = /** @type {Entry} */ (entries[number - 1]);
    lines.push(`${indent}${depth}. ${seat < 0 ? "table" : `seat ${seat}`}: ${notation || "?"}`);
  }
  /** @param {number} from @param {number} depth @param {string} indent */
  function follow(from, depth, indent) {
    let number = from;
    for (let ply = depth; ; ply += 1) {
      const [main, ...others] = after[number] ?? [];
      if (!main) return;
      write(main, ply, indent);
      for (const other of others) {
        lines.push(`${indent}(`);
        write(other, ply, `${indent}  `);
        follow(other, ply + 1, `${indent}  `);
        lines.push(`${indent})`);
      }
      number = main;
    }
  }
  follow(0, 1, "");
  return lines;
}

/** @param {string} text a well-formed record @returns {GameRecord} */
export function readRecord(text) {
  /** @type {Record<string, string>} */
  const tags = {};
  /** @type {Entry[]} */
  const entries = [];
  // The moves to go back to at the end of each variation that is open.
  /** @type {number[]} */
  const open = [];
  let last = 0;
  for (const line of text.split("\n")) {
    const tag = /^\[([A-Z]\w*) (.*)\]$/.exec(line);
    const move = MOVE.exec(line);
    if (tag?.[1] && tag[2] && !entries.length) {
      tags[tag[1]] = tag[2].replace(/^"(.*)"$/, "$1");
    } else if (line.trim() === "(") {
      open.push(last);
      last = entries[last - 1]?.parent ?? 0;
    } else if (line.trim() === ")") {
      last = open.pop() ?? 0;
    } else if (move) {
      const seat = move[1] === undefined ? -1 : Number(move[1]);
      entries.push({ seat, notation: move[2] ?? "", parent: last });
      last = entries.length;
    }
  }
  const { Game = "", Rules = "0", Options = "{}", Seed, Start, Viewer, Result = "*" } = tags;
  return {
    game: Game,
    rules: Number(Rules),
    options: JSON.parse(Options),
    seed: Seed ?? Start ?? "",
    viewer: Number(Viewer ?? -1),
    returns: Result === "*" ? [] : Result.split(" ").map(Number),
    entries,
  };
}

/** JSON with the names of every object in order. @param {any} value @returns {any} */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || !value) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sorted(value[name])]),
  );
}
