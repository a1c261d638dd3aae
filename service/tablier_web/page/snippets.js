/** Calls as texts for a shell or a program. Keys are never part of them. Pure. */

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/**
 * A call as a command.
 * @param {{method: string, path: string, body?: unknown}} call
 * @param {string} origin
 * @param {boolean} keyed whether the service wants a key
 */
export function curl({ method, path, body }, origin, keyed) {
  const parts = [`curl -X ${method} ${quoted(origin + path)}`];
  if (keyed) parts.push('-H "authorization: Bearer $TABLIER_API_KEY"');
  if (body !== undefined) {
    parts.push("-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  }
  return parts.join(" \\\n  ");
}

/**
 * A program that has the position as a state: from the record of its game, or from a token.
 * @param {string} record
 * @param {string} token
 * @param {string} host
 */
export function python(record, token, host) {
  const opened = record
    ? ["", `record = ${JSON.stringify(record)}`]
    : ["from base64 import b64decode", `token = b64decode("${token}")`];
  return [
    opened[0],
    "from tablier_client import Client",
    "",
    opened[1],
    "# The port of gRPC; a key is read from TABLIER_API_KEY.",
    `with Client("${host}:50051") as client:`,
    `    state = ${record ? "client.replay_record(record).state" : "client.state(token)"}`,
    "    print(state)",
    "    print(state.draw())",
    "",
  ]
    .join("\n")
    .trimStart();
}
