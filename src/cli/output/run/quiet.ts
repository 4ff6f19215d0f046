import { failedLine } from '../messages.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Errors only: one line a failed file, and why the run ended early. */
export function quietReporter({ stderr, chalk }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const tally = createTally(() => textColumns(stderr));
  return {
    event(event) {
      tally.see(event);
      if (event.event === 'file' && event.error !== undefined) print(failedLine(event, chalk));
    },
    note() {},
    finish(summary) {
      stderr.write(tally.errorText(summary));
    },
  };
}
