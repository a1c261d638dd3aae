/**
 * The tree of a game: every position that was reached, and the moves between them. Pure, apart from
 * adding and removing nodes.
 *
 * @typedef {import("./types.d.ts").Situation} Situation
 * @typedef {import("./types.d.ts").Move} Move
 * @typedef {import("./types.d.ts").Bot} Bot
 *
 * @typedef {object} Reached what is known about a new position
 * @property {string} state its token
 * @property {Situation} situation
 * @property {number} seat the seat that moved; -1 for the table and at the start
 * @property {Move | null} move the move; null at the start, and if the viewer may not know it
 * @property {Bot | null} [bot] how a bot chose the move
 * @property {string[]} [parts] the path of the move in the picture, if it is known
 *
 * @typedef {object} Node
 * @property {number} id
 * @property {Node | null} parent
 * @property {Node[]} children the first continues the main line
 * @property {number} depth
 * @property {string} state
 * @property {Situation} situation
 * @property {number} seat
 * @property {Move | null} move
 * @property {Bot | null} bot
 * @property {string[]} parts
 * @property {Map<number, string>} words the story of the move, by viewer
 *
 * @typedef {object} Row a line of the move list
 * @property {Node} node
 * @property {number} indent 0 for the main line
 * @property {boolean} first whether it is the first move of a variation
 */

let lastId = 0;

/**
 * @param {Reached} reached
 * @param {Node | null} parent
 * @returns {Node}
 */
function makeNode(reached, parent) {
  lastId += 1;
  return {
    id: lastId,
    parent,
    children: [],
    depth: parent ? parent.depth + 1 : 0,
    state: reached.state,
    situation: reached.situation,
    seat: reached.seat,
    move: reached.move,
    bot: reached.bot ?? null,
    parts: reached.parts ?? [],
    words: new Map(),
  };
}

/**
 * The root of a new tree.
 * @param {string} state
 * @param {Situation} situation
 */
export function plant(state, situation) {
  return makeNode({ state, situation, seat: -1, move: null }, null);
}

/**
 * The child of a node that the same known move of the same seat leads to.
 * @param {Node} parent
 * @param {number} seat
 * @param {Move | null} move
 */
export function childBy(parent, seat, move) {
  if (!move) return null;
  return (
    parent.children.find((each) => each.seat === seat && each.move?.action === move.action) ?? null
  );
}

/**
 * Add a position after a move; returns the node that is there already if the move was made before.
 * @param {Node} parent
 * @param {Reached} reached
 * @returns {Node}
 */
export function grow(parent, reached) {
  const known = childBy(parent, reached.seat, reached.move);
  if (known) return known;
  const node = makeNode(reached, parent);
  parent.children.push(node);
  return node;
}

/**
 * The nodes from the root to a node, both included.
 * @param {Node} node
 * @returns {Node[]}
 */
export function lineTo(node) {
  const line = [];
  for (let each = /** @type {Node | null} */ (node); each; each = each.parent) line.push(each);
  return line.reverse();
}

/**
 * The last node of the line that begins with a node.
 * @param {Node} node
 */
export function endOf(node) {
  let end = node;
  while (end.children[0]) end = end.children[0];
  return end;
}

/** @param {Node} node */
export function rootOf(node) {
  let root = node;
  while (root.parent) root = root.parent;
  return root;
}

/**
 * Make the line through a node the main line, up to the root.
 * @param {Node} node
 */
export function promote(node) {
  for (let each = node; each.parent; each = each.parent) {
    const siblings = each.parent.children;
    siblings.splice(siblings.indexOf(each), 1);
    siblings.unshift(each);
  }
}

/**
 * Remove a node and everything after it; returns the node before it.
 * @param {Node} node
 * @returns {Node}
 */
export function prune(node) {
  const { parent } = node;
  if (!parent) return node;
  parent.children.splice(parent.children.indexOf(node), 1);
  return parent;
}

/**
 * The lines of the move list: the main line, and each variation below the move that it replaces.
 * @param {Node} root
 * @returns {Row[]}
 */
export function rows(root) {
  /** @type {Row[]} */
  const listed = [];
  /** @param {Node} start @param {number} indent */
  function follow(start, indent) {
    let node = start;
    for (;;) {
      const [main, ...others] = node.children;
      if (!main) return;
      listed.push({ node: main, indent, first: false });
      for (const other of others) {
        listed.push({ node: other, indent: indent + 1, first: true });
        follow(other, indent + 1);
      }
      node = main;
    }
  }
  follow(root, 0);
  return listed;
}

/** A node and all after it. @param {Node} node @returns {Generator<Node>} */
export function* nodesOf(node) {
  yield node;
  for (const child of node.children) yield* nodesOf(child);
}

/**
 * The moves of a tree as a list, each with the number of the move before it.
 * @param {Node} root
 * @returns {{nodes: Node[], entries: import("./types.d.ts").Entry[]}} the nodes with the root at 0
 */
export function listMoves(root) {
  const nodes = [root, ...rows(root).map(({ node }) => node)];
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const entries = nodes.slice(1).map(({ seat, move, parent }) => ({
    seat,
    action: move?.action ?? 0,
    notation: move?.notation ?? "",
    parent: (parent && numbers.get(parent)) ?? 0,
  }));
  return { nodes, entries };
}
