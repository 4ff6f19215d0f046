import type { OutputScreen } from '../../arguments/command.js';
import { createJsonReporter } from './json-reporter.js';
import { createLinesReporter } from './lines-reporter.js';
import { createQuietReporter } from './quiet-reporter.js';
import type { Reporter, ReporterContext } from './reporter.js';

export type ReporterName = 'bars' | 'lines' | 'json' | 'quiet';

/** Bars bring a package with them, which others have no use for. */
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
 * The reporter that flags and terminal ask for: `--json` over `--quiet` over bars, which need a terminal that can
 * move its cursor.
 * @param term the terminal's kind: TERM.
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
