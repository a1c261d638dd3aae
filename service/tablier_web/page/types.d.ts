/**
 * The messages of the REST API that the page uses, and its own records. ProtoJSON leaves out fields
 * that have their default value, so most fields are optional. For `make web-lint` only.
 */
export interface Game {
  name: string;
  title: string;
  frenchTitle: string;
  summary: string;
  rulesVersion?: number;
  minSeats: number;
  maxSeats: number;
  hiddenInformation?: boolean;
  phases: string[];
  optionsSchema?: Schema;
  notation?: { example: string; meaning: string }[];
}

export interface Schema {
  type?: string;
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  pattern?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

export interface Move {
  seat?: number;
  notation?: string;
  action?: number;
}

export interface Situation {
  game: string;
  seats: number;
  ply?: number;
  phase: string;
  actors?: number[];
  over?: boolean;
  scores?: number[];
  returns?: number[];
}

export interface MovePath {
  parts?: string[];
  needsConfirmation?: boolean;
}

export interface SeatMoves {
  seat?: number;
  count?: number;
  actions?: number[];
  notations?: string[];
  words?: string[];
  paths?: MovePath[];
}

/** a legal move of the seat that the page asks */
export interface LegalMove {
  seat: number;
  action: number;
  notation: string;
  words: string;
  /** its path in the picture */
  parts: string[];
  /** whether the path is also the beginning of another one */
  needsConfirmation: boolean;
}

/** who plays a seat */
export interface Player {
  kind: "person" | "bot";
  /** the level of a bot, 1 to 10 */
  level: number;
}

/** how a bot chose a move, so that the same call finds it again */
export interface Bot {
  level: number;
  seed: string;
}

/** a move of a game without its position: the number of the entry before it, 0 for the start */
export interface Entry {
  seat: number;
  action?: number;
  notation?: string;
  parent: number;
}

/** a move as a viewer saw it; the notation is empty if it is hidden from them */
export interface Seen {
  seat: number;
  notation: string;
  words: string;
}

/** a move with its evaluation */
export interface Suggestion {
  move: Move;
  visits?: number;
  /** the expected return of each seat, from -1 to 1 */
  values?: number[];
  spread?: number;
  line?: Move[];
  words?: string[];
}

/** A move that a text may mean. */
export interface Candidate {
  move: Move;
  words: string;
}

/** What the service made of a text. */
export interface Interpretation {
  outcome: string;
  understood?: Candidate;
  candidates?: Candidate[];
  reason?: string;
}
