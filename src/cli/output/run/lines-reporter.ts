import { formatDuration, formatSize, plural } from '../../../base/units.js';
import {
  createFindingFormatter,
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

/** Milliseconds between two lines of progress (contract, Output). */
const INTERVAL_MS = 10_000;

/** Plain lines for logs: progress at most every 10 seconds, each failed file and warning, the summary. */
export function createLinesReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const tally = createSummaryBuilder(() => textColumns(stderr));
  const progress = createRunProgress(now);
  const findingLine = createFindingFormatter(chalk);
  // The first files begin while the plan is still being counted: no progress is told before it.
  let last = Number.POSITIVE_INFINITY;
  let lastPause = Number.NEGATIVE_INFINITY;

  const tick = (): void => {
    if (now() - last < INTERVAL_MS) return;
    last = now();
    const { done, total, bytesPerSecond, secondsLeft } = progress.read();
    const left = secondsLeft === undefined ? '' : `, ${formatDuration(secondsLeft * 1000)} left`;
    print(`${done} of ${plural(total, 'file')}, ${formatSize(bytesPerSecond)}/s${left}\n`);
  };

  return {
    event(event) {
      tally.see(event);
      progress.see(event);
      if (event.event === 'warning') print(formatWarning(event, chalk));
      else if (event.event === 'note') print(formatNote(event));
      else if (event.event === 'finding') print(findingLine(event));
      else if (event.event === 'pause') {
        if (now() - lastPause < INTERVAL_MS) return;
        lastPause = now();
        print(formatPause(event, chalk));
      } else if (event.event === 'plan') {
        last = now();
        const work = `${countPlannedWork(event)} ${formatPlannedAim(event)}`;
        const estimate = formatEstimate(event);
        print(`${plural(event.files, 'file')} planned: ${work}${estimate && `, ${estimate}`}\n`);
      } else {
        if (event.event === 'file' && event.error !== undefined) print(formatFailedFile(event, chalk));
        tick();
      }
    },
    note(line) {
      print(`${line}\n`);
    },
    finish(summary) {
      stderr.write(tally.text(summary, chalk));
    },
  };
}
