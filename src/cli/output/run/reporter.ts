import type { ChalkInstance } from 'chalk';
import { formatDuration, formatSize, plural } from '../../../base/units.js';
import {
  toDayJson,
  toFileJson,
  toFindingJson,
  toJsonLine,
  toPlanJson,
  toSummaryJson,
} from '../../../events/json-events.js';
import type { PlanEvent, RunEvent, RunSummary } from '../../../events/run-events.js';
import { collectErrors, createFailureTracker } from '../../../events/run-tally.js';
import {
  createFindingFormatter,
  formatCorruptDay,
  formatEstimate,
  formatFailedFile,
  formatNote,
  formatPause,
  formatWarning,
} from '../format-events.js';
import { type OutputScreen, screenColumns, textColumns } from '../text/screen.js';
import { wrapLines } from '../text/width.js';
import { createThrottle } from '../throttle.js';
import { createRunBars } from './run-bars.js';
import { countPlannedWork, createRunProgress, formatPlannedAim } from './run-progress.js';
import { createSummaryBuilder, formatRunError } from './summary-builder.js';

/** Prints the events of a run. */
export interface Reporter {
  event(event: RunEvent): void;
  /** Prints a line that is not an event, such as a request with `--verbose`; it ends with a line break. */
  note(line: string): void;
  finish(summary: RunSummary): void;
}

export interface ReporterContext {
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  /** Colours for stderr. */
  readonly chalk: ChalkInstance;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Whether JSON lines come without warnings and notes, as the quiet reporter does. */
  readonly isQuiet?: boolean;
}

/** How much text a run prints: bars on a terminal, plain lines for logs, or only errors. */
export type TextLevel = 'bars' | 'lines' | 'quiet';
export type ReporterName = TextLevel | 'json';

export function createReporter(name: ReporterName, context: ReporterContext): Reporter {
  return name === 'json' ? createJsonReporter(context) : createTextReporter(name, context);
}

/**
 * Chooses the reporter: `--json` before `--quiet` before bars, which need a terminal that can move its cursor.
 * @param term the kind of terminal: TERM.
 */
export function chooseReporter(
  json: boolean,
  quiet: boolean,
  stderr: OutputScreen,
  term: string | undefined,
): ReporterName {
  if (json) return 'json';
  if (quiet) return 'quiet';
  return stderr.isTTY === true && term !== 'dumb' ? 'bars' : 'lines';
}

/**
 * Text on stderr. Every level prints failed files and why the run failed. Lines and bars add warnings, notes and the
 * summary; lines also the progress, at most every 10 seconds.
 */
function createTextReporter(level: TextLevel, { stderr, chalk, now }: ReporterContext): Reporter {
  const summaryBuilder = createSummaryBuilder(() => textColumns(stderr));
  const progress = createRunProgress(now);
  const formatFinding = createFindingFormatter(chalk);
  const bars = level === 'bars' ? createRunBars(stderr, progress, chalk, now) : undefined;
  const isDuePause = createThrottle(now);
  const isDueLine = createThrottle(now);
  let isPlanned = false;
  const print = (text: string): unknown =>
    bars ? bars.print(text) : stderr.write(wrapLines(text, textColumns(stderr)));

  const printPlan = (event: PlanEvent): void => {
    const estimate = formatEstimate(event);
    const aim = formatPlannedAim(event);
    const work = countPlannedWork(event);
    if (bars === undefined)
      print(`${plural(event.files, 'file')} planned: ${work} ${aim}${estimate && `, ${estimate}`}\n`);
    else if (estimate) print(`${plural(work, 'file')} ${aim}, ${estimate}\n`);
    isPlanned = true;
    isDueLine();
  };
  const printProgress = (): void => {
    if (bars || !isPlanned || !isDueLine()) return;
    const { done, total, bytesPerSecond, secondsLeft } = progress.read();
    const left = secondsLeft === undefined ? '' : `, ${formatDuration(secondsLeft * 1000)} left`;
    print(`${done} of ${plural(total, 'file')}, ${formatSize(bytesPerSecond)}/s${left}\n`);
  };

  return {
    event(event) {
      summaryBuilder.record(event);
      if (event.event === 'file' && event.error !== undefined) print(formatFailedFile(event, chalk));
      if (event.event === 'day' && event.error !== undefined) print(formatCorruptDay(event, chalk));
      if (level === 'quiet') return;
      progress.record(event);
      bars?.record(event);
      if (event.event === 'warning') print(formatWarning(event, chalk));
      else if (event.event === 'note') print(formatNote(event));
      else if (event.event === 'finding') print(formatFinding(event));
      else if (event.event === 'plan') printPlan(event);
      else if (event.event !== 'pause') printProgress();
      else if (bars || isDuePause()) print(formatPause(event, chalk));
    },
    note(line) {
      if (level !== 'quiet') print(line);
    },
    finish(summary) {
      bars?.close();
      if (level === 'quiet') stderr.write(summaryBuilder.errorText(summary));
      else stderr.write(summaryBuilder.text(summary, chalk, bars && screenColumns(stderr)));
    },
  };
}

/**
 * JSON lines on stdout (docs/spec/command-line.md#json-output): plan, files, summary; on stderr why the run failed,
 * and warnings and notes unless it is quiet.
 */
function createJsonReporter({ stdout, stderr, chalk, isQuiet }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  const notify = isQuiet ? () => {} : print;
  const failures = createFailureTracker();
  return {
    event(event) {
      failures.record(event);
      if (event.event === 'warning') notify(formatWarning(event, chalk));
      else if (event.event === 'note') notify(formatNote(event));
      else if (event.event === 'plan') stdout.write(toJsonLine(toPlanJson(event)));
      else if (event.event === 'finding') stdout.write(toJsonLine(toFindingJson(event)));
      else if (event.event === 'day') stdout.write(toJsonLine(toDayJson(event)));
      else if (event.event === 'file') stdout.write(toJsonLine(toFileJson(event)));
    },
    note: notify,
    finish(summary) {
      const errors = collectErrors(summary);
      const failed = summary.exitCode === 0 ? undefined : failures.describeFailedFiles(summary.exitCode);
      const isSaid = errors.some(({ message }) => failed?.message.includes(message));
      print([...errors, ...(failed && !isSaid ? [failed] : [])].map(formatRunError).join(''));
      stdout.write(toJsonLine(toSummaryJson(summary)));
    },
  };
}
