import { usageError } from '../../base/errors.js';
import { isStdout, resolveOutput, writeOutput } from '../../base/output-sink.js';
import { formatSize, plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';

export const lockCommand = defineCommand(COMMAND_OPTIONS.lock, {
  examples: [
    ['$0 lock', 'write tickhaul.lock, for download --frozen'],
    ['$0 lock --format sha256sum > SHA256SUMS', 'write a list for sha256sum -c, run in the download folder'],
  ],
  async run(options, cli) {
    const { format } = options;
    const { warn, output } = cli;
    const { formatChecksums, formatLockFile, readLockableRecords } = await import('../../store/lock-file.js');
    const { readDayFileSelection } = await import('../../operations/selection/read-selection.js');
    const path = options.out ?? (format === 'lock' ? 'tickhaul.lock' : '-');
    return withOutputContext(options, cli, async (context) => {
      const { signal } = context;
      await context.settings();
      const out = await resolveOutput('--out', path);
      const selection = await readDayFileSelection(options, context);
      const records = await readLockableRecords(await context.destination(), selection, { warn, signal });
      if (output.json && isStdout(out))
        throw usageError('--json and --out - both print to stdout; use only one of them');
      const lines = format === 'lock' ? formatLockFile(records) : formatChecksums(records, format);
      if (isStdout(out)) await output.lines(lines);
      else {
        await writeOutput(out, lines, cli);
        const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
        await output.result({
          json: () => toJsonLine({ path: out.name, format, files: records.length, bytes }),
          text: () => `${out.name}: ${plural(records.length, 'file')}, ${formatSize(bytes)}\n`,
          unlessQuiet: 'stderr',
        });
      }
      return 0;
    });
  },
});
