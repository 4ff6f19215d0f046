import { formatDuration, formatSize, plural } from '../../../base/units.js';
import {
  createFindingFormatter,
  formatCorruptDay,
  formatFailedFile,
  formatNote,
  formatPause,
  formatWarning,
} from '../format-events.js';
import { formatEstimate } from '../plan/format-estimate.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { countPlannedWork, createRunProgress, formatPlannedAim } from './run-progress.js';
import { createSummaryBuilder } from './summary-builder.js';

/** Milliseconds between two lines of progress (docs/spec/command-line.md#streams). */
const INTERVAL_MS = 10_000;

/** Plain lines for logs: progress at most every 10 seconds, failed files, warnings, the summary. */
export function createLinesReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const summaryBuilder = createSummaryBuilder(() => textColumns(stderr));
  const progress = createRunProgress(now);
  const formatFinding = createFindingFormatter(chalk);
  // No progress is printed before the plan.
  let lastLineMs = Number.POSITIVE_INFINITY;
  let lastPauseMs = Number.NEGATIVE_INFINITY;

  const printProgress = (): void => {
    if (now() - lastLineMs < INTERVAL_MS) return;
    lastLineMs = now();
    const { done, total, bytesPerSecond, secondsLeft } = progress.read();
    const left = secondsLeft === undefined ? '' : `, ${formatDuration(secondsLeft * 1000)} left`;
    print(`${done} of ${plural(total, 'file')}, ${formatSize(bytesPerSecond)}/s${left}\n`);
  };

  return {
    event(event) {
      summaryBuilder.record(event);
      progress.record(event);
      if (event.event === 'warning') print(formatWarning(event, chalk));
      else if (event.event === 'note') print(formatNote(event));
      else if (event.event === 'finding') print(formatFinding(event));
      else if (event.event === 'pause') {
        if (now() - lastPauseMs < INTERVAL_MS) return;
        lastPauseMs = now();
        print(formatPause(event, chalk));
      } else if (event.event === 'plan') {
        lastLineMs = now();
        const work = `${countPlannedWork(event)} ${formatPlannedAim(event)}`;
        const estimate = formatEstimate(event);
        print(`${plural(event.files, 'file')} planned: ${work}${estimate && `, ${estimate}`}\n`);
      } else {
        if (event.event === 'file' && event.error !== undefined) print(formatFailedFile(event, chalk));
        if (event.event === 'day' && event.error !== undefined) print(formatCorruptDay(event, chalk));
        printProgress();
      }
    },
    note(line) {
      print(`${line}\n`);
    },
    finish(summary) {
      stderr.write(summaryBuilder.text(summary, chalk));
    },
  };
}
