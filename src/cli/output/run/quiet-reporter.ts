import { formatFailedFile } from '../format-events.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createSummaryBuilder } from './summary-builder.js';

/** Errors only: one line a failed file, and why the run ended early. */
export function createQuietReporter({ stderr, chalk }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const tally = createSummaryBuilder(() => textColumns(stderr));
  return {
    event(event) {
      tally.see(event);
      if (event.event === 'file' && event.error !== undefined) print(formatFailedFile(event, chalk));
    },
    note() {},
    finish(summary) {
      stderr.write(tally.errorText(summary));
    },
  };
}
