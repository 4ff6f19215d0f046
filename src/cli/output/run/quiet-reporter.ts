import { formatCorruptDay, formatFailedFile } from '../format-events.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createSummaryBuilder } from './summary-builder.js';

/** Prints errors only: one line per failed file, and why the run ended early. */
export function createQuietReporter({ stderr, chalk }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const summaryBuilder = createSummaryBuilder(() => textColumns(stderr));
  return {
    event(event) {
      summaryBuilder.record(event);
      if (event.event === 'file' && event.error !== undefined) print(formatFailedFile(event, chalk));
      if (event.event === 'day' && event.error !== undefined) print(formatCorruptDay(event, chalk));
    },
    note() {},
    finish(summary) {
      stderr.write(summaryBuilder.errorText(summary));
    },
  };
}
