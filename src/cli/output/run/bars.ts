import cliProgress from 'cli-progress';
import { formatDuration, formatSize, plural } from '../../../base/units.js';
import type { Screen } from '../../arguments/types.js';
import { createFindingLines, failedLine, noteLine, pauseLine, warningLine } from '../messages.js';
import { estimateText } from '../plan/estimate.js';
import { cutStart, cutToWidth } from '../text/width.js';
import { FrameTerminal, screenColumns } from './frame-terminal.js';
import { createProgress, type ProgressReading, plannedAim, plannedWork } from './progress.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Redraws a second. */
const FPS = 5;

interface Transfer {
  readonly path: string;
  position: number;
  total: number | undefined;
  /** Whether its last try failed, and the next one has brought nothing yet. */
  isWaiting: boolean;
}

/** Progress bars: one for the whole run, one a running file, never more lines than the screen has rows. */
export function barsReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const tally = createTally();
  const progress = createProgress(now);
  const findingLine = createFindingLines(chalk);
  const terminal = new FrameTerminal(stderr);
  // A bar is a line of the screen. Files take free lines and give them back, so that none ever moves.
  let lines: { transfer: Transfer | undefined }[] = [];
  const running = new Map<string, Transfer>();
  let bars: cliProgress.MultiBar | undefined;

  const open = (): void => {
    bars = new cliProgress.MultiBar(optionsFor(terminal, stderr));
    bars.on('redraw-post', () => terminal.flushSoon());
    bars.on('stop', () => terminal.flush());
    bars.create(1, 0, { text: () => totalText(progress.read(), barWidth(stderr)) });
    lines = [];
    for (const transfer of running.values()) addLine(transfer);
  };
  const close = (): void => {
    // What is to be printed above is printed by an update only.
    bars?.update();
    bars?.stop();
  };
  const addLine = (transfer: Transfer): void => {
    if (bars === undefined || lines.length >= maxFileLines(stderr)) return;
    const line: { transfer: Transfer | undefined } = { transfer };
    lines.push(line);
    bars.create(1, 0, {
      text: () => (line.transfer === undefined ? '' : transferText(line.transfer, stderr)),
    });
  };
  const redraw = (): void => {
    if (bars === undefined) return;
    close();
    open();
    bars.update();
  };
  const goOn = (): void => {
    terminal.forget();
    redraw();
  };
  const above = (text: string): void => {
    if (bars === undefined) stderr.write(text);
    else bars.log(text);
  };
  const begin = (): void => {
    if (bars !== undefined) return;
    open();
    stderr.on?.('resize', redraw);
    stderr.on?.('continue', goOn);
  };
  const show = (transfer: Transfer): void => {
    running.set(transfer.path, transfer);
    const free = lines.find((line) => line.transfer === undefined);
    if (free !== undefined) free.transfer = transfer;
    else addLine(transfer);
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
      if (event.event === 'plan' || event.event === 'start') begin();
      if (event.event === 'plan') {
        const estimate = estimateText(event);
        if (estimate) above(`${plural(plannedWork(event), 'file')} ${plannedAim(event)}, ${estimate}\n`);
        return;
      }
      if (event.event === 'start')
        show({ path: event.path, position: 0, total: undefined, isWaiting: false });
      else if (event.event === 'progress')
        Object.assign(running.get(event.path) ?? {}, {
          position: event.position,
          total: event.total,
          isWaiting: false,
        });
      else if (event.event === 'retry')
        Object.assign(running.get(event.path) ?? {}, { position: 0, total: undefined, isWaiting: true });
      else if (event.event === 'warning') above(warningLine(event, chalk));
      else if (event.event === 'note') above(noteLine(event));
      else if (event.event === 'finding') above(findingLine(event));
      else if (event.event === 'pause') above(pauseLine(event, chalk));
      else if (event.event === 'file') {
        hide(event.path);
        if (event.error !== undefined) above(failedLine(event, chalk));
      }
    },
    note(line) {
      above(`${line}\n`);
    },
    finish(summary) {
      close();
      stderr.off?.('resize', redraw);
      stderr.off?.('continue', goOn);
      stderr.write(tally.text(summary, chalk));
    },
  };
}

/** cli-progress takes another terminal, though its types don't say so. */
interface Options extends cliProgress.Options {
  readonly terminal: FrameTerminal;
}

function optionsFor(terminal: FrameTerminal, screen: Screen): Options {
  return {
    terminal,
    format: (_options, _params, payload: { text: () => string }) =>
      cutToWidth(payload.text(), screenColumns(screen) - 1),
    fps: FPS,
    forceRedraw: true,
    clearOnComplete: true,
    gracefulExit: false,
    // Said so that the terminal is left as it is: lines are cut here.
    linewrap: true,
    emptyOnZero: true,
  };
}

/** One row is the run's, one stays free for the cursor. */
function maxFileLines(screen: Screen): number {
  return Math.max(0, (screen.rows || 24) - 2);
}

function barWidth(screen: Screen): number {
  return Math.max(4, Math.min(20, Math.floor(screenColumns(screen) / 5)));
}

function totalText(reading: ProgressReading, width: number): string {
  const { done, total, bytesPerSecond, secondsLeft } = reading;
  const left = secondsLeft === undefined ? '' : `  ${formatDuration(secondsLeft * 1000)} left`;
  const share = total === 0 ? 1 : done / total;
  return `${bar(share, width)} ${done}/${plural(total, 'file')}  ${formatSize(bytesPerSecond)}/s${left}`;
}

/** Narrower screens are shown less. */
const NARROW = 60;

/** The sizes stay, and the name takes what is left: its end says more than its beginning. */
function transferText({ path, position, total, isWaiting }: Transfer, screen: Screen): string {
  const columns = screenColumns(screen);
  const share = total === undefined || total === 0 ? 0 : Math.min(1, position / total);
  const of = total === undefined || columns < NARROW ? '' : ` of ${formatSize(total)}`;
  const before = `${bar(share, barWidth(screen))} `;
  const after = isWaiting ? '  trying again' : `  ${formatSize(position)}${of}`;
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.csv\.gz$/, '');
  return `${before}${cutStart(name, columns - 1 - before.length - after.length)}${after}`;
}

function bar(share: number, width: number): string {
  const full = Math.round(share * width);
  return `[${'='.repeat(full)}${' '.repeat(width - full)}]`;
}
