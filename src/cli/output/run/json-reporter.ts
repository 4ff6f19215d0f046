import { collectErrors, createFailureTracker } from '../../../events/exit-reasons.js';
import {
  toDayJson,
  toFileJson,
  toFindingJson,
  toJsonLine,
  toPlanJson,
  toSummaryJson,
} from '../../../events/json-events.js';
import { formatNote, formatWarning } from '../format-events.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { formatRunError } from './summary-builder.js';

/**
 * JSON lines on stdout (docs/spec/command-line.md#json-output): plan, files, summary; on stderr why the run failed,
 * and warnings and notes unless it is quiet.
 */
export function createJsonReporter({ stdout, stderr, chalk, isQuiet }: ReporterContext): Reporter {
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
    note(text) {
      notify(`${text}\n`);
    },
    finish(summary) {
      const errors = collectErrors(summary);
      const failed = summary.exitCode === 0 ? undefined : failures.describeFailedFiles(summary.exitCode);
      const isSaid = errors.some(({ message }) => failed?.message.includes(message));
      print([...errors, ...(failed && !isSaid ? [failed] : [])].map(formatRunError).join(''));
      stdout.write(toJsonLine(toSummaryJson(summary)));
    },
  };
}
