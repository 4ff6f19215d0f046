import { REASON_DESCRIPTIONS } from '../../audit/check-descriptions.js';
import { findPageFile, isStdout } from '../../operations/output-file.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { runOperation } from '../run-command.js';

export const auditCommand = defineCommand(COMMAND_OPTIONS.audit, {
  terms: { heading: 'Checks', meanings: REASON_DESCRIPTIONS },
  examples: [
    ['$0 audit', 'judge every day of the download folder'],
    ['$0 audit -t trades -s "BTC*" --from 2024-01-01', 'only some series and days'],
    ['$0 audit --fail-on degraded,missing,corrupt', 'fail if a day is not good, as in CI'],
    ['$0 audit --degrade gap,crossed datasets', 'let only these checks degrade a day'],
    ['$0 audit --html audit.html', 'also write an offline HTML page'],
    ['$0 audit --json | grep \'"condition":"degraded"\'', 'print degraded days with their faults'],
  ],
  async run(options, cli) {
    const { runAudit } = await import('../../operations/audit.js');
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
