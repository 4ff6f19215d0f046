import { usageError } from '../../base/errors.js';
import { readBooleanFlag, readTextFlag } from '../../commands/arguments/read-arguments.js';
import type { OutputSelection } from '../../convert/output-selection.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { CONVERT_FLAGS } from '../arguments/convert-flags.js';
import { STORE_FLAGS } from '../arguments/folder-flags.js';
import { reportRun } from '../session.js';

export const convertCommand: CommandAction = {
  positionals: {
    path: { type: 'string', describe: 'day files (.csv.gz), folders to search, globs; s3://bucket/… too' },
  },
  flags: { ...CONVERT_FLAGS, ...STORE_FLAGS },
  examples: [
    ['$0 convert datasets', 'a .parquet beside each day file, where it is not there yet'],
    ["$0 convert 'datasets/*_trades_*.csv.gz' -o parquet --layout hive", 'a partitioned copy'],
    ['$0 convert datasets --as trade_bar_1m', 'bars of one minute, from each day file of trades'],
    ['$0 convert deribit_trades_2024-03-01_SPOT.csv.gz -o - | head -n 1', 'NDJSON to stdout'],
  ],
  async run(args, cli) {
    if (readTextFlag(args, 'out') === '-') return convertToStdout(args, cli);
    const { prepareConvert } = await import('../../commands/prepare-convert.js');
    const run = await prepareConvert(args, cli);
    return reportRun(args, cli, run);
  },
};

async function convertToStdout(args: CommandArgs, cli: CliHost): Promise<number> {
  const { readConvertSelection } = await import('../../commands/prepare-convert.js');
  const { outputSelection, ...conversion } = await readConvertSelection(args, cli);
  refuseWithStdout(args, conversion.options);
  const computed = onlyOne(outputSelection);
  const { convertToStream } = await import('../../convert/convert-to-stream.js');
  const { dataOut: output, signal } = cli;
  // Bars between rows on one screen would spoil both.
  const reported = cli.stdout.isTTY ? { ...args, quiet: true } : args;
  return reportRun(reported, cli, ({ emit }) =>
    convertToStream({ ...conversion, computed, output, emit, signal }),
  );
}

/** @throws usage error for what makes no sense when the rows go to stdout. */
function refuseWithStdout(args: CommandArgs, { format }: ConvertOptions): void {
  if (format !== 'ndjson') throw usageError('-o - writes NDJSON; leave --format out, or name a folder');
  const useless = ['layout', 'existing'].find((flag) => args[flag] !== undefined);
  if (useless !== undefined) throw usageError(`--${useless} is of no use with -o -; leave it out`);
  const refused = ['json', 'no-keep-source'].find((flag) => readBooleanFlag(args, flag));
  if (refused !== undefined) throw usageError(`--${refused} and -o - don't go together; name a folder`);
}

/** @throws usage error where there is more than one thing to write to stdout. */
function onlyOne({ rows, computed }: OutputSelection): ComputedType | undefined {
  if (computed.length + (rows ? 1 : 0) > 1) {
    throw usageError('-o - takes one name of --as only; name a folder for several');
  }
  return computed[0];
}
