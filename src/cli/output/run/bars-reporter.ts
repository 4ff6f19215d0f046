import cliProgress from 'cli-progress';
import { plural } from '../../../base/units.js';
import type { OutputScreen } from '../../arguments/command.js';
import {
  createFindingFormatter,
  formatCorruptDay,
  formatFailedFile,
  formatNote,
  formatPause,
  formatWarning,
} from '../format-events.js';
import { formatEstimate } from '../plan/format-estimate.js';
import { screenColumns, textColumns } from '../text/screen.js';
import { textWidth } from '../text/width.js';
import { wrapLines } from '../text/wrap.js';
import {
  type BarLayout,
  formatTotalLine,
  formatTransferLine,
  layoutBars,
  type RunningTransfer,
  shortPath,
  transferProgress,
} from './format-bars.js';
import { FrameTerminal } from './frame-terminal.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { countPlannedWork, createRunProgress, formatPlannedAim } from './run-progress.js';
import { createSummaryBuilder } from './summary-builder.js';
import { createTransferRate } from './transfer-rate.js';

/** Redraws per second. */
const FPS = 5;

/** Progress bars: one for the whole run and one per running file, limited to the height of the screen. */
export function createBarsReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const summaryBuilder = createSummaryBuilder(() => textColumns(stderr));
  const progress = createRunProgress(now);
  const formatFinding = createFindingFormatter(chalk);
  const terminal = new FrameTerminal(stderr);
  // Each bar has a line. Files take free lines and release them, so that no bar ever moves.
  let lines: { transfer: RunningTransfer | undefined }[] = [];
  const running = new Map<string, RunningTransfer>();
  let bars: cliProgress.MultiBar | undefined;
  let longestName = 0;

  // Leave one column free: after a full line, terminals differ in where the cursor is.
  const layout = (): BarLayout => layoutBars(screenColumns(stderr) - 1, longestName);
  const sumProgress = (): number =>
    [...running.values()].reduce((sum, transfer) => sum + transferProgress(transfer), 0);

  const open = (): void => {
    bars = new cliProgress.MultiBar(createBarOptions(terminal));
    bars.on('redraw-post', () => terminal.flushSoon());
    bars.on('stop', () => terminal.flush());
    bars.create(1, 0, { text: () => formatTotalLine(progress.read(), sumProgress(), layout(), chalk) });
    lines = [];
    for (const transfer of running.values()) addLine(transfer);
  };
  const close = (): void => {
    // Text above the bars is only printed by an update.
    bars?.update();
    bars?.stop();
  };
  const addLine = (transfer: RunningTransfer): void => {
    if (bars === undefined || lines.length >= maxFileLines(stderr)) return;
    const line: { transfer: RunningTransfer | undefined } = { transfer };
    lines.push(line);
    bars.create(1, 0, {
      text: () => (line.transfer === undefined ? '' : formatTransferLine(line.transfer, layout(), chalk)),
    });
  };
  const redraw = (): void => {
    if (bars === undefined) return;
    close();
    open();
    bars.update();
  };
  const redrawAfterStop = (): void => {
    terminal.forget();
    redraw();
  };
  const printAbove = (text: string): void => {
    const lines = wrapLines(text, screenColumns(stderr));
    if (bars === undefined) stderr.write(lines);
    else bars.log(lines);
  };
  const start = (): void => {
    if (bars !== undefined) return;
    open();
    stderr.on?.('resize', redraw);
    stderr.on?.('continue', redrawAfterStop);
  };
  const show = (path: string): void => {
    const transfer = { path, rate: createTransferRate(now), position: 0, total: undefined, isWaiting: false };
    running.set(path, transfer);
    longestName = Math.max(longestName, textWidth(shortPath(path)));
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
      summaryBuilder.record(event);
      progress.record(event);
      // The first files start while the plan is still being counted.
      if (event.event === 'plan' || event.event === 'start') start();
      if (event.event === 'plan') {
        const estimate = formatEstimate(event);
        if (estimate) {
          const text = `${plural(countPlannedWork(event), 'file')} ${formatPlannedAim(event)}, ${estimate}`;
          printAbove(`${text}\n`);
        }
        return;
      }
      if (event.event === 'start') show(event.path);
      else if (event.event === 'progress') {
        const transfer = running.get(event.path);
        transfer?.rate.add(event.received);
        Object.assign(transfer ?? {}, { position: event.position, total: event.total, isWaiting: false });
      } else if (event.event === 'retry')
        Object.assign(running.get(event.path) ?? {}, { position: 0, total: undefined, isWaiting: true });
      else if (event.event === 'warning') printAbove(formatWarning(event, chalk));
      else if (event.event === 'note') printAbove(formatNote(event));
      else if (event.event === 'finding') printAbove(formatFinding(event));
      else if (event.event === 'pause') printAbove(formatPause(event, chalk));
      else if (event.event === 'file') {
        hide(event.path);
        if (event.source !== undefined) hide(event.source);
        if (event.error !== undefined) printAbove(formatFailedFile(event, chalk));
      } else if (event.event === 'day') {
        if (event.path !== null) hide(event.path);
        if (event.error !== undefined) printAbove(formatCorruptDay(event, chalk));
      }
    },
    note(line) {
      printAbove(`${line}\n`);
    },
    finish(summary) {
      close();
      // A replay may still print warnings about the downloaded files.
      bars = undefined;
      stderr.off?.('resize', redraw);
      stderr.off?.('continue', redrawAfterStop);
      stderr.write(summaryBuilder.text(summary, chalk, screenColumns(stderr)));
    },
  };
}

/** cli-progress accepts a custom terminal, although its types omit that option. */
interface BarOptions extends cliProgress.Options {
  readonly terminal: FrameTerminal;
}

function createBarOptions(terminal: FrameTerminal): BarOptions {
  return {
    terminal,
    format: (_options, _params, payload: { text: () => string }) => payload.text(),
    fps: FPS,
    forceRedraw: true,
    clearOnComplete: true,
    gracefulExit: false,
    // Leaves the terminal's wrap mode unchanged: lines are cut here.
    linewrap: true,
    emptyOnZero: true,
  };
}

/** One row is for the run's bar, and one is left free for the cursor. */
function maxFileLines(screen: OutputScreen): number {
  return Math.max(0, (screen.rows || 24) - 2);
}
