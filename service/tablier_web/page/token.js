/**
 * The envelope of a token, which anyone who holds it can read. Pure.
 *
 * @typedef {object} Envelope
 * @property {boolean} sealed
 * @property {string} game
 * @property {number} rules
 * @property {number} bytes
 * @property {number} [key] the number of the key that sealed it
 * @property {number | null} [viewer] the seat of a view token; null for a true state
 * @property {number} [ply]
 * @property {string} [state] the state as the game packs it, in hexadecimal
 */
import { fromBase64Url } from "./link.js";

const TRUE_STATE = 255;

/** @param {string} token @returns {Envelope | null} null if it is not a token */
export function readEnvelope(token) {
  const bytes = fromBase64Url(token);
  const data = new DataView(bytes.buffer);
  const magic = String.fromCharCode(...bytes.slice(0, 2));
  if ((magic !== "TB" && magic !== "TS") || data.getUint8(2) !== 1) return null;
  const end = 5 + data.getUint8(4);
  const base = {
    sealed: magic === "TS",
    game: String.fromCharCode(...bytes.slice(5, end)),
    rules: data.getUint16(end, true),
    bytes: bytes.length,
  };
  if (base.sealed) return { ...base, key: data.getUint8(3) };
  const size = data.getUint16(end + 6, true);
  const state = [...bytes.slice(end + 8, end + 8 + size)];
  return {
    ...base,
    viewer: data.getUint8(3) === TRUE_STATE ? null : data.getUint8(3),
    ply: data.getUint32(end + 2, true),
    state: state.map((byte) => byte.toString(16).padStart(2, "0")).join(""),
  };
}
