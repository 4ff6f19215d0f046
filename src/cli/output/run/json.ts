import { fileObject, findingObject, line, planObject, summaryObject } from '../../../run/json.js';
import { noteLine, warningLine } from '../messages.js';
import { textColumns } from '../text/screen.js';
import { wrapLines } from '../text/wrap.js';
import type { Reporter, ReporterContext } from './reporter.js';
import { errorLine, errorsOf } from './summary.js';

/** JSON lines on stdout (contract, Output): plan, each file, summary; warnings and notes go to stderr. */
export function jsonReporter({ stdout, stderr, chalk }: ReporterContext): Reporter {
  const print = (text: string): unknown => stderr.write(wrapLines(text, textColumns(stderr)));
  return {
    event(event) {
      if (event.event === 'warning') print(warningLine(event, chalk));
      else if (event.event === 'note') print(noteLine(event));
      else if (event.event === 'plan') stdout.write(line(planObject(event)));
      else if (event.event === 'finding') stdout.write(line(findingObject(event)));
      else if (event.event === 'file') stdout.write(line(fileObject(event)));
    },
    note(text) {
      print(`${text}\n`);
    },
    finish(summary) {
      print(errorsOf(summary).map(errorLine).join(''));
      stdout.write(line(summaryObject(summary)));
    },
  };
}
