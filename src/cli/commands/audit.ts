import { isStdout, readPageFile } from '../../operations/output-file.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';

export const auditCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.audit),
  examples: [
    ['$0 audit', 'judge every day of the download folder'],
    ['$0 audit -t trades -s "BTC*" --from 2024-01-01', 'only some series and days'],
    ['$0 audit --fail-on degraded,missing,corrupt', 'fail if a day is not good, as in CI'],
    ['$0 audit --degrade gap,crossed datasets', 'let only these checks degrade a day'],
    ['$0 audit --html audit.html', 'also write an offline HTML page'],
    ['$0 audit --json | grep \'"condition":"degraded"\'', 'print degraded days with their faults'],
  ],
  async run(args, cli) {
    const { prepareAudit } = await import('../../operations/prepare-audit.js');
    const run = await prepareAudit(args, cli);
    const { stdout, output } = cli;
    if (output.json || output.quiet || isStdout(await readPageFile(args))) return output.report(run);
    const { AuditText } = await import('../output/audit/format-audit.js');
    const text = new AuditText();
    const exitCode = await output.report((observer) =>
      run({
        ...observer,
        emit(event) {
          if (event.event === 'day') text.add(event);
          observer.emit(event);
        },
      }),
    );
    const chalk = await output.chalk(stdout);
    await output.lines(text.format({ columns: textColumns(stdout), chalk }));
    return exitCode;
  },
};
