import { failedLine } from './messages.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { errorLine } from './summary.js';

/** Errors only: one line a failed file, and why the run ended early. */
export function quietReporter({ stderr, chalk }: ReporterContext): Reporter {
  return {
    event(event) {
      if (event.event === 'file' && event.status === 'failed') stderr.write(failedLine(event, chalk));
    },
    note() {},
    finish(summary) {
      if (summary.error !== undefined) stderr.write(errorLine(summary.error));
    },
  };
}
