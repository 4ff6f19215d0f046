import { REASON_DESCRIPTIONS } from '../../audit/check-descriptions.js';
import { findPageFile, isStdout } from '../../base/output-sink.js';
import { toJsonLine, toSummaryJson } from '../../events/json-events.js';
import type { AuditValues } from '../../operations/audit.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { runOperation, runToSummary } from '../run-command.js';

export const auditCommand = defineCommand(COMMAND_OPTIONS.audit, {
  terms: { heading: 'Checks', meanings: REASON_DESCRIPTIONS },
  examples: [
    ['$0 audit', 'judge every day of the download folder'],
    ['$0 audit -t trades -s "BTC*" --from 2024-01-01', 'only some series and days'],
    ['$0 audit --good > good.txt', 'list the days that are available for all series'],
    ['$0 audit --fail-on degraded,missing,corrupt', 'fail if a day is not good, as in CI'],
    ['$0 audit --degrade gap,crossed datasets', 'let only these checks degrade a day'],
    ['$0 audit --html audit.html', 'also write an offline HTML page'],
    ['$0 audit --json | grep \'"condition":"degraded"\'', 'print degraded days with their faults'],
  ],
  async run(options, cli) {
    const { runAudit } = await import('../../operations/audit.js');
    if (options.good) return printGoodDays(options, cli);
    if (options.json || options.quiet || isStdout(await findPageFile(options)))
      return runOperation(runAudit, options, cli);
    const { AuditText } = await import('../output/format-audit.js');
    const text = new AuditText();
    const exitCode = await runOperation(runAudit, options, cli, {
      onEvent(event) {
        if (event.event === 'day') text.add(event);
      },
    });
    const { stdout, output } = cli;
    const chalk = await output.chalk(stdout);
    await output.lines(text.format({ columns: textColumns(stdout), chalk }));
    return exitCode;
  },
});

/**
 * Prints the days to stdout, or with `--json` one document, and all else to stderr. A run that did not judge all days
 * prints none of them.
 */
async function printGoodDays(options: AuditValues, cli: CliHost): Promise<number> {
  const { runAudit } = await import('../../operations/audit.js');
  const { output } = cli;
  const summary = await runToSummary(runAudit, options, cli, { json: false });
  const { goodDays, exitCode } = summary;
  if (output.json) await output.lines([toJsonLine(goodDays ?? toSummaryJson(summary))]);
  else if (goodDays) await output.lines(goodDays.days.map((day) => `${day}\n`));
  return exitCode;
}
