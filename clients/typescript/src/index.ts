/**
 * Client of the Tablier game-state service, for browsers and Node.
 *
 * `connect` returns a client. It starts games, and returns states, whose methods play, draw and
 * advise. "tablier-client/messages" has the messages of the protocol.
 */

export type {
  Advice,
  BotTurn,
  Candidate,
  Interpretation,
  Move,
  MoveLike,
  Outcome,
  Replay,
  ReplayStep,
  SeenMove,
  Simulation,
  Step,
  Suggestion,
} from "./answers.js";
export { Client, connect } from "./client.js";
export type {
  CallOptions,
  ConnectOptions,
  OptionsOf,
  RecordOptions,
  ReplayOptions,
  ReplayRecordOptions,
  StartOptions,
  TextOptions,
} from "./client.js";
export * from "./errors.js";
export type { GameName, GameOptions } from "./gen/options.js";
export type { Game, GameView } from "./gen/tablier/v1/game_pb.js";
export type { Observation } from "./gen/tablier/v1/game_service_pb.js";
export { State } from "./state.js";
export type {
  AnalyzeOptions,
  BotOptions,
  InterpretOptions,
  PlayOptions,
  PngOptions,
  SearchOptions,
  SimulateOptions,
  SuggestOptions,
} from "./state.js";
