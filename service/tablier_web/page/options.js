/**
 * The options of a new game, from the JSON Schema that the service returns: which field of a form
 * each needs, and the value of its text. Pure functions.
 *
 * @typedef {import("./types.d.ts").Schema} Schema
 *
 * @typedef {object} Field
 * @property {string} name
 * @property {string} title
 * @property {string} description
 * @property {"check" | "number" | "choice" | "text" | "json"} kind
 * @property {string[]} choices
 * @property {string} initial the text of the default; empty if there is none
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [step]
 * @property {string} [pattern]
 */

// Longer ranges are typed instead of chosen.
const MOST_CHOICES = 24;

/**
 * The fields of a form; `seats` comes first.
 * @param {Schema | undefined} schema
 * @returns {Field[]}
 */
export function fieldsOf(schema) {
  const fields = Object.entries(schema?.properties ?? {}).map(([name, each]) => field(name, each));
  return fields.sort((one, other) => rank(one) - rank(other));
}

/** @param {Field} field */
function rank({ name, kind }) {
  if (name === "seats") return 0;
  return kind === "json" ? 3 : kind === "text" ? 2 : 1;
}

/** @param {string} name @param {Schema} schema @returns {Field} */
function field(name, schema) {
  const { title = name, default: initial } = schema;
  const description = (schema.description ?? "").replace(/`([^`]*)`/g, "“$1”");
  const text = initial === undefined ? "" : write(initial);
  const base = { name, title, description, choices: /** @type {string[]} */ ([]), initial: text };
  const choices = choicesOf(schema);
  if (schema.type === "boolean") return { ...base, kind: "check" };
  if (choices && choices.length <= MOST_CHOICES) return { ...base, kind: "choice", choices };
  if (schema.type === "integer" || schema.type === "number") {
    const step = schema.multipleOf ?? (schema.type === "integer" ? 1 : undefined);
    const { minimum, maximum } = schema;
    return {
      ...base,
      kind: "number",
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      ...(step === undefined ? {} : { step }),
    };
  }
  if (schema.type === "string") {
    return { ...base, kind: "text", ...(schema.pattern ? { pattern: schema.pattern } : {}) };
  }
  return { ...base, kind: "json" };
}

/** Every value of a schema as text, if they can be listed. @param {Schema} schema @returns {string[] | null} */
function choicesOf(schema) {
  if (schema.enum) return schema.enum.map(write);
  if (schema.anyOf) {
    const all = schema.anyOf.map(choicesOf);
    return all.every((each) => each !== null) ? all.flatMap((each) => each ?? []) : null;
  }
  const { type, minimum, maximum } = schema;
  if (type !== "integer" || minimum === undefined || maximum === undefined) return null;
  const count = maximum - minimum + 1;
  if (count > MOST_CHOICES) return null;
  return Array.from({ length: count }, (_, index) => String(minimum + index));
}

/** @param {unknown} value */
function write(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * The options that differ from their defaults. Raises SyntaxError if a text is not JSON.
 * @param {Field[]} fields
 * @param {Record<string, string>} texts by name
 * @returns {Record<string, unknown>}
 */
export function optionsIn(fields, texts) {
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const { name, kind, initial } of fields) {
    const text = (texts[name] ?? initial).trim();
    if (text === initial || text === "") continue;
    options[name] = kind === "text" ? text : read(text, kind);
  }
  return options;
}

/** @param {string} text @param {Field["kind"]} kind */
function read(text, kind) {
  if (kind !== "json" && !/^(-?\d+(\.\d+)?|true|false)$/.test(text)) return text;
  return kind === "json" && /^[\w-]+$/.test(text) && Number.isNaN(Number(text))
    ? text
    : JSON.parse(text);
}
