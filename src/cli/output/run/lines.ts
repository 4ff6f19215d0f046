import { formatDuration, formatSize, plural } from '../../../base/units.js';
import { createFindingLines, failedLine, noteLine, pauseLine, warningLine } from '../messages.js';
import { estimateText } from '../plan/estimate.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import { createProgress, plannedAim, plannedWork } from './progress.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Milliseconds between two lines of progress (contract, Output). */
const INTERVAL_MS = 10_000;

/** Plain lines for logs: progress at most every 10 seconds, each failed file and warning, the summary. */
export function linesReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const tally = createTally(() => textColumns(stderr));
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
    print(`${done} of ${plural(total, 'file')}, ${formatSize(bytesPerSecond)}/s${left}\n`);
  };

  return {
    event(event) {
      tally.see(event);
      progress.see(event);
      if (event.event === 'warning') print(warningLine(event, chalk));
      else if (event.event === 'note') print(noteLine(event));
      else if (event.event === 'finding') print(findingLine(event));
      else if (event.event === 'pause') {
        if (now() - lastPause < INTERVAL_MS) return;
        lastPause = now();
        print(pauseLine(event, chalk));
      } else if (event.event === 'plan') {
        last = now();
        const work = `${plannedWork(event)} ${plannedAim(event)}`;
        const estimate = estimateText(event);
        print(`${plural(event.files, 'file')} planned: ${work}${estimate && `, ${estimate}`}\n`);
      } else {
        if (event.event === 'file' && event.error !== undefined) print(failedLine(event, chalk));
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
