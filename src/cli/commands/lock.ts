import { usageError } from '../../base/errors.js';
import { formatSize, plural } from '../../base/units.js';
import { readTextFlag } from '../../operations/arguments/read-arguments.js';
import { loadSettings } from '../../operations/config/load-config.js';
import { isStdout, readOutputFile } from '../../operations/output-file.js';
import { withDestination } from '../../operations/with-destination.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { formatDocument } from '../output/text/format-document.js';

export const lockCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.lock),
  examples: [
    ['$0 lock', 'write tickhaul.lock, for download --frozen'],
    ['$0 lock --format sha256sum > SHA256SUMS', 'write a list for sha256sum -c, run in the download folder'],
  ],
  async run(args, cli) {
    const settings = await loadSettings(args, cli);
    const format = (readTextFlag(args, 'format') ?? COMMAND_OPTIONS.lock.format.default) as Format;
    const out = await readOutputFile(args, 'out', format === 'lock' ? 'tickhaul.lock' : '-');
    const { readLockableRecords } = await import('../../store/lock-file.js');
    const records = await withDestination(settings, cli, (destination) =>
      readLockableRecords(destination, { warn: cli.warn, signal: cli.signal }),
    );
    const { formatLockFile } = await import('../../store/lock-file.js');
    const { formatChecksums } = await import('../../store/lock-file.js');
    if (cli.output.json && isStdout(out))
      throw usageError('--json and --out - both print to stdout; use only one of them');
    const lines = format === 'lock' ? formatLockFile(records) : formatChecksums(records, format);
    if (isStdout(out)) await cli.output.lines(lines);
    else {
      const { writeOutput } = await import('../../base/output-sink.js');
      await writeOutput(out, lines, cli);
      const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
      await cli.output.result({
        json: () => formatDocument({ path: out.name, format, files: records.length, bytes }, false),
        text: () => `${out.name}: ${plural(records.length, 'file')}, ${formatSize(bytes)}\n`,
        unlessQuiet: 'stderr',
      });
    }
    return 0;
  },
};

type Format = 'lock' | 'md5sum' | 'sha256sum';
