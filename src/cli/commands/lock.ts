import { usageError } from '../../base/errors.js';
import { formatSize, plural } from '../../base/units.js';
import { readText, readToggle } from '../../commands/arguments/read.js';
import { loadSettings } from '../../commands/config/file.js';
import { withDestination } from '../../commands/destination.js';
import { isStdout, readOutputFile } from '../../commands/output-file.js';
import { LOCK_FILE_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import type { Action } from '../arguments/types.js';
import { printLines } from '../output/text/blocks.js';
import { documentText } from '../output/text/document.js';
import { withStoreRequests } from '../session.js';

export const lock: Action = {
  flags: { ...LOCK_FILE_FLAGS, ...STORE_FLAGS },
  examples: [
    ['$0 lock', 'tickhaul.lock, for download --frozen'],
    ['$0 lock --format sha256sum > SHA256SUMS', 'a list that sha256sum -c takes, in the download folder'],
  ],
  async run(args, cli) {
    const settings = await loadSettings(args, cli);
    const format = (readText(args, 'format') ?? 'lock') as Format;
    const out = await readOutputFile(args, 'out', format === 'lock' ? 'tickhaul.lock' : '-');
    const { lockedRecords } = await import('../../store/lists/locked-records.js');
    const warn = (message: string): void => {
      cli.stderr.write(`warning ${message}\n`);
    };
    const records = await withStoreRequests(args, cli, () =>
      withDestination(settings, cli, (destination) =>
        lockedRecords(destination, { warn, signal: cli.signal }),
      ),
    );
    const { formatLockFile } = await import('../../store/lists/lock-file.js');
    const { formatChecksums } = await import('../../store/lists/checksum-list.js');
    const isJson = readToggle(args, 'json');
    if (isJson && isStdout(out))
      throw usageError('--json and --out - both print to stdout; give one of them');
    const lines = format === 'lock' ? formatLockFile(records) : formatChecksums(records, format);
    if (isStdout(out)) await printLines(cli.stdout, lines, cli.signal);
    else {
      const { writeOutput } = await import('../../base/write-output.js');
      await writeOutput(out, lines, cli);
      const bytes = records.reduce((sum, record) => sum + record.bytes, 0);
      if (isJson)
        cli.stdout.write(documentText({ path: out.name, format, files: records.length, bytes }, false));
      else if (!readToggle(args, 'quiet'))
        cli.stderr.write(`${out.name}: ${plural(records.length, 'file')}, ${formatSize(bytes)}\n`);
    }
    return 0;
  },
};

type Format = 'lock' | 'md5sum' | 'sha256sum';
