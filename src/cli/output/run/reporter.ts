import type { ChalkInstance } from 'chalk';
import type { RunEvent, RunSummary } from '../../../base/events.js';
import type { Screen } from '../../arguments/types.js';
import { barsReporter } from './bars.js';
import { jsonReporter } from './json.js';
import { linesReporter } from './lines.js';
import { quietReporter } from './quiet.js';

/** Turns a run's events into output. */
export interface Reporter {
  event(event: RunEvent): void;
  /** A line that is no event, such as a request under `--verbose`. */
  note(line: string): void;
  finish(summary: RunSummary): void;
}

export interface ReporterContext {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** For stderr. */
  readonly chalk: ChalkInstance;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

export type ReporterName = 'bars' | 'lines' | 'json' | 'quiet';

export const REPORTERS: Readonly<Record<ReporterName, (context: ReporterContext) => Reporter>> = {
  bars: barsReporter,
  lines: linesReporter,
  json: jsonReporter,
  quiet: quietReporter,
};

/**
 * The reporter that flags and terminal ask for: `--json` over `--quiet` over bars, which need a terminal that can
 * move its cursor.
 * @param term the terminal's kind: TERM.
 */
export function reporterName(
  json: boolean,
  quiet: boolean,
  stderr: Screen,
  term: string | undefined,
): ReporterName {
  if (json) return 'json';
  if (quiet) return 'quiet';
  return stderr.isTTY === true && term !== 'dumb' ? 'bars' : 'lines';
}
