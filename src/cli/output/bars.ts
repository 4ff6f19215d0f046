import cliProgress from 'cli-progress';
import { formatDuration, formatSize } from '../../units.js';
import type { Screen } from '../types.js';
import { failedLine, pauseLine, warningLine } from './messages.js';
import { createProgress } from './progress.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Redraws a second. */
const FPS = 5;
const BAR_WIDTH = 20;

interface Transfer {
  readonly path: string;
  position: number;
  total: number | undefined;
}

/** Progress bars: one for the whole run, one a running file, never more lines than the screen has rows. */
export function barsReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const tally = createTally();
  const progress = createProgress(now);
  // A bar is a line of the screen. Files take free lines and give them back, so that none ever moves.
  const lines: { transfer: Transfer | undefined }[] = [];
  const running = new Map<string, Transfer>();
  let bars: cliProgress.MultiBar | undefined;

  const cut = (text: string): string => [...text].slice(0, (stderr.columns || 80) - 1).join('');
  const open = (): cliProgress.MultiBar => {
    const opened = new cliProgress.MultiBar({
      // cli-progress writes, moves the cursor and asks for columns and isTTY: no more than a Screen has.
      stream: stderr as NodeJS.WritableStream,
      format: (_options, _params, payload: { text: () => string }) => cut(payload.text()),
      fps: FPS,
      clearOnComplete: true,
      gracefulExit: false,
      hideCursor: null,
      linewrap: null,
      emptyOnZero: true,
    });
    opened.create(1, 0, { text: () => totalText(progress.read()) });
    return opened;
  };
  const above = (text: string): void => {
    if (bars === undefined) stderr.write(text);
    else bars.log(text);
  };
  const show = (transfer: Transfer): void => {
    running.set(transfer.path, transfer);
    const free = lines.find((line) => line.transfer === undefined);
    if (free !== undefined) free.transfer = transfer;
    else if (bars !== undefined && lines.length < maxFileLines(stderr)) {
      const line: { transfer: Transfer | undefined } = { transfer };
      lines.push(line);
      bars.create(1, 0, { text: () => (line.transfer === undefined ? '' : transferText(line.transfer)) });
    }
  };
  const hide = (path: string): void => {
    running.delete(path);
    const line = lines.find(({ transfer }) => transfer?.path === path);
    if (line === undefined) return;
    const shown = new Set(lines.map(({ transfer }) => transfer?.path));
    line.transfer = [...running.values()].find((transfer) => !shown.has(transfer.path));
  };

  return {
    event(event) {
      tally.see(event);
      progress.see(event);
      // The first files begin while the plan is still being counted.
      if (event.event === 'plan' || event.event === 'start') bars ??= open();
      if (event.event === 'plan') return;
      if (event.event === 'start') show({ path: event.path, position: 0, total: undefined });
      else if (event.event === 'progress')
        Object.assign(running.get(event.path) ?? {}, { position: event.position, total: event.total });
      else if (event.event === 'warning') above(warningLine(event, chalk));
      else if (event.event === 'pause') above(pauseLine(event, chalk));
      else if (event.event === 'file') {
        hide(event.path);
        if (event.status === 'failed') above(failedLine(event, chalk));
      }
    },
    note(line) {
      above(`${line}\n`);
    },
    finish(summary) {
      bars?.update();
      bars?.stop();
      stderr.write(tally.text(summary, chalk));
    },
  };
}

/** One row is the run's, one stays free for the cursor. */
function maxFileLines(screen: Screen): number {
  return Math.max(0, (screen.rows || 24) - 2);
}

function totalText(reading: ReturnType<ReturnType<typeof createProgress>['read']>): string {
  const { done, total, bytesPerSecond, secondsLeft } = reading;
  const left = secondsLeft === undefined ? '' : `  ${formatDuration(secondsLeft * 1000)} left`;
  return `${bar(total === 0 ? 1 : done / total)} ${done}/${total} files  ${formatSize(bytesPerSecond)}/s${left}`;
}

function transferText({ path, position, total }: Transfer): string {
  const share = total === undefined || total === 0 ? 0 : Math.min(1, position / total);
  const of = total === undefined ? '' : ` of ${formatSize(total)}`;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return `${bar(share)} ${name}  ${formatSize(position)}${of}`;
}

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return `[${'='.repeat(full)}${' '.repeat(BAR_WIDTH - full)}]`;
}
