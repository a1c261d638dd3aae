/**
 * The panels beside the board and the tools in the header. Each is one module that gets the table and
 * the page; adding one is a line here.
 */
import { AnalysisPanel } from "./analysis.js";
import { Inspector } from "./inspector.js";
import { Moves } from "./moves.js";
import { GameRecord } from "./record.js";
import { Rules } from "./rules.js";
import { Seats } from "./seats.js";
import { Share } from "./share.js";

/**
 * @typedef {{table: import("../table.js").Table, page: import("./app.js").Page}} PanelProps
 * @typedef {import("../vendor/preact.js").ComponentType<PanelProps>} Panel
 */

/** From top to bottom. @type {Panel[]} */
export const panels = [Seats, Moves, AnalysisPanel, Rules, Inspector];

/** In the header, from left to right. @type {Panel[]} */
export const tools = [Share, GameRecord];
