import type { OutputScreen } from '../../arguments/command.js';
import { createJsonReporter } from './json-reporter.js';
import { createLinesReporter } from './lines-reporter.js';
import { createQuietReporter } from './quiet-reporter.js';
import type { Reporter, ReporterContext } from './reporter.js';

export type ReporterName = 'bars' | 'lines' | 'json' | 'quiet';

/** Bars are loaded lazily, since they need a package that the others do not. */
const REPORTERS: Readonly<Record<ReporterName, (context: ReporterContext) => Reporter | Promise<Reporter>>> =
  {
    bars: async (context) => (await import('./bars-reporter.js')).createBarsReporter(context),
    lines: createLinesReporter,
    json: createJsonReporter,
    quiet: createQuietReporter,
  };

export async function createReporter(name: ReporterName, context: ReporterContext): Promise<Reporter> {
  return REPORTERS[name](context);
}

/**
 * Chooses the reporter: `--json` before `--quiet` before bars, which need a terminal that can move its cursor.
 * @param term the kind of terminal: TERM.
 */
export function chooseReporter(
  json: boolean,
  quiet: boolean,
  stderr: OutputScreen,
  term: string | undefined,
): ReporterName {
  if (json) return 'json';
  if (quiet) return 'quiet';
  return stderr.isTTY === true && term !== 'dumb' ? 'bars' : 'lines';
}
