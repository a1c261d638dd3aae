/** What calls answer, and how it is read from messages. */

import {
  type SimulateGameResponse,
  StopReason,
  type StreamAnalysisResponse,
  type SuggestMovesResponse,
  type SeenMove as WireSeenMove,
} from "./gen/tablier/v1/advisor_service_pb.js";
import type { GameView, Move as WireMove } from "./gen/tablier/v1/game_pb.js";
import {
  type EnumerateMovesResponse,
  InterpretationOutcome,
  type InterpretMoveResponse,
  type MoveCandidate,
} from "./gen/tablier/v1/game_service_pb.js";
import type { State } from "./state.js";

/** A move. */
export interface Move {
  /** The move as people write it, such as "a6-a4". */
  readonly notation: string;
  /** The seat that moves; -1 is the table, for the rare move that belongs to no seat. */
  readonly seat: number;
  /** Index in the action space of the game. */
  readonly action: number;
}

/**
 * What can be played: a notation, or a move with a notation, an action number, or both.
 *
 * Without a seat, it is a move of the only seat that is to move.
 */
export type MoveLike = string | Partial<Move>;

/** A legal move, and what it does. */
export interface Candidate {
  readonly move: Move;
  readonly words: string;
}

/** What a text means as a move. Nothing has been played. */
export interface Interpretation {
  /**
   * How the text was understood: "exact" (a notation), "normalised" (a text that says one move),
   * "ambiguous" or "none".
   */
  readonly outcome: "exact" | "normalised" | "ambiguous" | "none" | "unspecified";
  /** The move that was read, ready for `play`, if the outcome is "exact" or "normalised". */
  readonly move: Move | undefined;
  /** What that move does, in one sentence; otherwise empty. */
  readonly words: string;
  /** What an ambiguous text may mean, or the legal moves that are nearest to an unreadable one. */
  readonly candidates: readonly Candidate[];
  /** Why the text is not a legal move, if it is a move of the game; otherwise empty. */
  readonly reason: string;
  /** If there is no move, how moves of the game are written. */
  readonly forms: readonly { readonly example: string; readonly meaning: string }[];
}

/** A move that was played, and the state after it. */
export interface Step {
  readonly move: Move;
  readonly state: State;
}

/** What a viewer saw of a move. */
export interface SeenMove {
  readonly seat: number;
  /** Absent if the viewer may not know it. */
  readonly move: Move | undefined;
  /** What the viewer saw, in one sentence. */
  readonly words: string;
}

/** The moves of a bot, as a viewer saw them, and the state after them. */
export interface BotTurn {
  readonly state: State;
  readonly moves: readonly SeenMove[];
}

/** A move of a replayed game, and the state after it. */
export interface ReplayStep {
  /** Absent in a replay for a seat, if another seat made the move and did not show it to all. */
  readonly move: Move | undefined;
  readonly state: State;
}

/**
 * A replayed game: its last state, and the steps, transcript, views and record if requested.
 *
 * A replay for a seat has view tokens as states, and contains only what the seat knew.
 */
export interface Replay {
  readonly state: State;
  readonly steps: readonly ReplayStep[];
  readonly transcript: string;
  readonly views: readonly GameView[];
  /** The text of the game record; empty unless the replay was made from one. */
  readonly record: string;
}

/** A move with its evaluation. */
export interface Suggestion {
  readonly move: Move;
  /** Iterations that tried the move; 0 if the game's engine decided without a search. */
  readonly visits: number;
  /** Mean return of each seat after the move, from -1 to 1. */
  readonly values: readonly number[];
  /** Standard deviation of the advised seat's return. */
  readonly spread: number;
  /** Expected moves, starting with this one. */
  readonly line: readonly Move[];
  /** Preference of the game's engine; 0 without one. */
  readonly weight: number;
}

/** Ranked moves, best first, and the effort of the search. */
export interface Advice {
  readonly suggestions: readonly Suggestion[];
  readonly iterations: number;
  /** Duration of the search; 0 if it was limited by iterations alone. */
  readonly milliseconds: number;
  /**
   * Why the search ended; "settled" if the game's engine decided without a search, "unspecified"
   * while an analysis goes on.
   */
  readonly stopped: "iterations" | "time" | "settled" | "unspecified";
}

/** Results of a seat in simulated games. */
export interface Outcome {
  /** From -1 to 1. */
  readonly meanReturn: number;
  /** Mean points at the end. */
  readonly meanScore: number;
  /** Games with a positive return. */
  readonly wins: number;
  /** Wins per game. */
  readonly winRate: number;
  /** Games by return, in ten equal intervals from -1 to 1. */
  readonly histogram: readonly number[];
}

/** Statistics of simulated games; lengths are in moves. */
export interface Simulation {
  /** Finished games; fewer than requested if the time was up. */
  readonly games: number;
  /** Results by seat. */
  readonly outcomes: readonly Outcome[];
  readonly meanLength: number;
  readonly shortest: number;
  readonly longest: number;
  /** Moves of the first game, if requested. */
  readonly sample: readonly Move[];
}

// A newer service may send values that these tables do not have.
const STOPPED: Partial<Record<StopReason, Advice["stopped"]>> = {
  [StopReason.ITERATIONS]: "iterations",
  [StopReason.TIME]: "time",
  [StopReason.SETTLED]: "settled",
};
const INTERPRETED: Partial<Record<InterpretationOutcome, Interpretation["outcome"]>> = {
  [InterpretationOutcome.EXACT]: "exact",
  [InterpretationOutcome.NORMALISED]: "normalised",
  [InterpretationOutcome.AMBIGUOUS]: "ambiguous",
  [InterpretationOutcome.NONE]: "none",
};

/** Read a move, which has all its fields in answers. */
export function readMove(move: WireMove | undefined): Move {
  return { notation: move?.notation ?? "", seat: move?.seat ?? 0, action: move?.action ?? 0 };
}

/** Read a move that may be hidden. */
export function readHidden(move: WireMove | undefined): Move | undefined {
  return move && readMove(move);
}

/** Read the answer of EnumerateMoves. */
export function readMoves(reply: EnumerateMovesResponse): Move[] {
  return reply.seats.flatMap(({ seat, notations, actions }) =>
    notations.map((notation, i) => ({ notation, seat, action: actions[i] ?? 0 })),
  );
}

function readCandidate(candidate: MoveCandidate): Candidate {
  return { move: readMove(candidate.move), words: candidate.words };
}

/** Read the answer of InterpretMove. */
export function readInterpretation(reply: InterpretMoveResponse): Interpretation {
  return {
    outcome: INTERPRETED[reply.outcome] ?? "unspecified",
    move: readHidden(reply.understood?.move),
    words: reply.understood?.words ?? "",
    candidates: reply.candidates.map(readCandidate),
    reason: reply.reason,
    forms: reply.forms.map(({ example, meaning }) => ({ example, meaning })),
  };
}

/** Read what a viewer saw of moves. */
export function readSeen(moves: WireSeenMove[]): SeenMove[] {
  return moves.map(({ seat, move, words }) => ({ seat, move: readHidden(move), words }));
}

/** Read the answer of SuggestMoves, or one of StreamAnalysis. */
export function readAdvice(reply: SuggestMovesResponse | StreamAnalysisResponse): Advice {
  return {
    suggestions: reply.suggestions.map(({ move, visits, values, spread, line, weight }) => ({
      move: readMove(move),
      visits,
      values,
      spread,
      line: line.map(readMove),
      weight,
    })),
    iterations: Number(reply.iterations),
    milliseconds: reply.milliseconds,
    stopped: STOPPED[reply.stopped] ?? "unspecified",
  };
}

/** Read the answer of SimulateGame. */
export function readSimulation(reply: SimulateGameResponse): Simulation {
  return {
    games: reply.games,
    outcomes: reply.seats.map(({ meanReturn, meanScore, wins, winRate, histogram }) => ({
      meanReturn,
      meanScore,
      wins,
      winRate,
      histogram,
    })),
    meanLength: reply.meanLength,
    shortest: reply.shortest,
    longest: reply.longest,
    sample: reply.sample.map(readMove),
  };
}
