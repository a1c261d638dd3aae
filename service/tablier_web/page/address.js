/**
 * The address of the page: it opens the link in its fragment, and keeps the fragment up to date with
 * the game, so that a refresh goes on with it. The fragment never reaches a service.
 *
 * A plain token of a game with hidden information would reveal it to anyone who gets the address. It is
 * kept in the history of this tab instead.
 */
import { gameLink, openLink, sharesGame, stateLink } from "./opening.js";
import { rootOf, rows } from "./tree.js";

/** @typedef {import("./table.js").Table} Table */

/** What the address was made from. */
let kept = "";

/** Open the link of the address, now and whenever a person changes it. @param {Table} table */
export async function followAddress(table) {
  addEventListener("hashchange", () => void read(table));
  await read(table);
}

/** @param {Table} table */
async function read(table) {
  const link = history.state?.link ?? location.hash.slice(1);
  if (!link) return;
  const opened = await openLink(table, link);
  if (opened) kept = keyOf(table);
}

/** What a link depends on. @param {Table} table */
function keyOf({ node, before, viewer, players, curtain, following }) {
  if (!node) return "";
  const moves = before.seen.length + rows(rootOf(node)).length;
  return JSON.stringify([node.id, moves, viewer, players, curtain, following]);
}

/** Write the link of the game into the address, if it has changed. @param {Table} table */
export async function keepAddress(table) {
  const key = keyOf(table);
  if (key === kept || table.busy || table.viewOnly) return;
  kept = key;
  const link = key && (await (sharesGame(table) ? gameLink(table) : stateLink(table)));
  if (key !== kept) return;
  const secret = table.hidden && !table.sealed;
  const fragment = link && !secret ? `#${link}` : "";
  history.replaceState(secret ? { link } : null, "", location.pathname + fragment);
}
