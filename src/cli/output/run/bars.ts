import cliProgress from 'cli-progress';
import { plural } from '../../../base/units.js';
import type { Screen } from '../../arguments/types.js';
import { createFindingLines, failedLine, noteLine, pauseLine, warningLine } from '../messages.js';
import { estimateText } from '../plan/estimate.js';
import { screenColumns, textColumns } from '../text/screen.js';
import { textWidth } from '../text/width.js';
import { wrapLines } from '../text/wrap.js';
import {
  type BarLayout,
  layoutBars,
  nameOf,
  shareOf,
  type Transfer,
  totalLine,
  transferLine,
} from './bar-lines.js';
import { FrameTerminal } from './frame-terminal.js';
import { createProgress, plannedAim, plannedWork } from './progress.js';
import { createRate } from './rate.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { createTally } from './summary.js';

/** Redraws a second. */
const FPS = 5;

/** Progress bars: one for the whole run, one a running file, never more lines than the screen has rows. */
export function barsReporter({ stderr, chalk, now }: ReporterContext): Reporter {
  const tally = createTally(() => textColumns(stderr));
  const progress = createProgress(now);
  const findingLine = createFindingLines(chalk);
  const terminal = new FrameTerminal(stderr);
  // A bar is a line of the screen. Files take free lines and give them back, so that none ever moves.
  let lines: { transfer: Transfer | undefined }[] = [];
  const running = new Map<string, Transfer>();
  let bars: cliProgress.MultiBar | undefined;
  let longestName = 0;

  // One column stays free: there the cursor would be on the next line of some terminals, and not of others.
  const layout = (): BarLayout => layoutBars(screenColumns(stderr) - 1, longestName);
  const begun = (): number => [...running.values()].reduce((sum, transfer) => sum + shareOf(transfer), 0);

  const open = (): void => {
    bars = new cliProgress.MultiBar(optionsFor(terminal));
    bars.on('redraw-post', () => terminal.flushSoon());
    bars.on('stop', () => terminal.flush());
    bars.create(1, 0, { text: () => totalLine(progress.read(), begun(), layout(), chalk) });
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
      text: () => (line.transfer === undefined ? '' : transferLine(line.transfer, layout(), chalk)),
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
    const lines = wrapLines(text, screenColumns(stderr));
    if (bars === undefined) stderr.write(lines);
    else bars.log(lines);
  };
  const begin = (): void => {
    if (bars !== undefined) return;
    open();
    stderr.on?.('resize', redraw);
    stderr.on?.('continue', goOn);
  };
  const show = (path: string): void => {
    const transfer = { path, rate: createRate(now), position: 0, total: undefined, isWaiting: false };
    running.set(path, transfer);
    longestName = Math.max(longestName, textWidth(nameOf(path)));
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
        if (estimate) {
          const text = `${plural(plannedWork(event), 'file')} ${plannedAim(event)}, ${estimate}`;
          above(`${text}\n`);
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
      // A replay may still warn of the files that were downloaded.
      bars = undefined;
      stderr.off?.('resize', redraw);
      stderr.off?.('continue', goOn);
      stderr.write(tally.text(summary, chalk, screenColumns(stderr)));
    },
  };
}

/** cli-progress takes another terminal, though its types don't say so. */
interface Options extends cliProgress.Options {
  readonly terminal: FrameTerminal;
}

function optionsFor(terminal: FrameTerminal): Options {
  return {
    terminal,
    format: (_options, _params, payload: { text: () => string }) => payload.text(),
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
