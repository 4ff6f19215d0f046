import { formatDuration, formatSize, plural } from '../../../base/units.js';
import { createFindingLines, failedLine, noteLine, pauseLine, warningLine } from '../messages.js';
import { estimateText } from '../plan/estimate.js';
import { createProgress, plannedAim, plannedWork } from './progress.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Milliseconds between two lines of progress (contract, Output). */
const INTERVAL_MS = 10_000;

/** Plain lines for logs: progress at most every 10 seconds, each failed file and warning, the summary. */
export function linesReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const tally = createTally();
  const progress = createProgress(now);
  const findingLine = createFindingLines(chalk);
  // The first files begin while the plan is still being counted: no progress is told before it.
  let last = Number.POSITIVE_INFINITY;
  let lastPause = Number.NEGATIVE_INFINITY;

  const tick = (): void => {
    if (now() - last < INTERVAL_MS) return;
    last = now();
    const { done, total, bytesPerSecond, secondsLeft } = progress.read();
    const left = secondsLeft === undefined ? '' : `, ${formatDuration(secondsLeft * 1000)} left`;
    stderr.write(`${done} of ${plural(total, 'file')}, ${formatSize(bytesPerSecond)}/s${left}\n`);
  };

  return {
    event(event) {
      tally.see(event);
      progress.see(event);
      if (event.event === 'warning') stderr.write(warningLine(event, chalk));
      else if (event.event === 'note') stderr.write(noteLine(event));
      else if (event.event === 'finding') stderr.write(findingLine(event));
      else if (event.event === 'pause') {
        if (now() - lastPause < INTERVAL_MS) return;
        lastPause = now();
        stderr.write(pauseLine(event, chalk));
      } else if (event.event === 'plan') {
        last = now();
        const work = `${plannedWork(event)} ${plannedAim(event)}`;
        const estimate = estimateText(event);
        stderr.write(`${plural(event.files, 'file')} planned: ${work}${estimate && `, ${estimate}`}\n`);
      } else {
        if (event.event === 'file' && event.error !== undefined) stderr.write(failedLine(event, chalk));
        tick();
      }
    },
    note(line) {
      stderr.write(`${line}\n`);
    },
    finish(summary) {
      stderr.write(tally.text(summary, chalk));
    },
  };
}
