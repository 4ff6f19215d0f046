import { failedLine } from '../messages.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Errors only: one line a failed file, and why the run ended early. */
export function quietReporter({ stderr, chalk }: ReporterContext): Reporter {
  const tally = createTally();
  return {
    event(event) {
      tally.see(event);
      if (event.event === 'file' && event.error !== undefined) stderr.write(failedLine(event, chalk));
    },
    note() {},
    finish(summary) {
      stderr.write(tally.errorText(summary));
    },
  };
}
