import { usageError } from '../../base/errors.js';
import { OUTPUT_FORMAT_CHOICES, OUTPUT_FORMAT_TABLE } from '../../base/output-format-names.js';
import { joinWithOr } from '../../base/units.js';
import type { OutputSelection } from '../../convert/output-selection.js';
import type { RunSummary } from '../../events/run-events.js';
import type { OutputOptions } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { ComputedType } from '../../market/names/message-type-name.js';
import { readBooleanFlag, readTextFlag } from '../../operations/arguments/read-arguments.js';
import type { RunObserver } from '../../operations/command-run.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';

export const convertCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.convert),
  examples: [
    ['$0 convert datasets', 'write a .parquet next to each day file that has none'],
    ["$0 convert 'datasets/*_trades_*.csv.gz' -o parquet --layout hive", 'write a partitioned copy'],
    ['$0 convert datasets --as trade_bar_1m', 'compute one-minute bars of each day file of trades'],
    ['$0 convert deribit_trades_2024-03-01_SPOT.csv.gz -o - | head -n 1', 'print NDJSON to stdout'],
    ['$0 convert datasets -f arrow --compression lz4', 'write .arrow files, which Polars and pandas map'],
  ],
  async run(args, cli) {
    if (readTextFlag(args, 'out') === '-') return convertToStdout(args, cli);
    const { prepareConvert } = await import('../../operations/prepare-convert.js');
    const run = await prepareConvert(args, cli);
    return cli.output.report(run);
  },
};

async function convertToStdout(args: CommandArgs, cli: CliHost): Promise<number> {
  const { readConvertSelection } = await import('../../operations/prepare-convert.js');
  const { outputSelection, ...conversion } = await readConvertSelection(args, cli);
  assertStdoutFlags(args, conversion.options);
  const computed = selectSingleOutput(outputSelection);
  const { convertToStream } = await import('../../convert/convert-to-stream.js');
  const { withDegradedFilter } = await import('../../operations/selection/with-degraded-filter.js');
  const { dataOut: output, signal } = cli;
  // Progress bars would mix with the rows on the same screen.
  const isQuiet = cli.output.quiet || cli.stdout.isTTY === true;
  const run = ({ emit }: RunObserver): Promise<RunSummary> =>
    withDegradedFilter(args, cli, conversion.store, emit, (isExcluded) =>
      convertToStream({ ...conversion, isExcluded, computed, output, emit, signal }),
    );
  return cli.output.report(run, isQuiet);
}

/** @throws usage error for flags that do not apply to rows on stdout. */
function assertStdoutFlags(args: CommandArgs, { format }: OutputOptions): void {
  if (!OUTPUT_FORMATS[format].openStream) {
    const labels = OUTPUT_FORMAT_CHOICES.filter((name) => OUTPUT_FORMATS[name].openStream).map(
      (name) => OUTPUT_FORMAT_TABLE[name].label,
    );
    throw usageError(`-o - writes ${joinWithOr(labels)}; omit --format, or specify a folder`);
  }
  const unusedFlag = ['layout', 'existing'].find((flag) => args[flag] !== undefined);
  if (unusedFlag !== undefined) throw usageError(`--${unusedFlag} has no effect with -o -; omit it`);
  const conflictingFlag = ['json', 'no-keep-source'].find((flag) => readBooleanFlag(args, flag));
  if (conflictingFlag !== undefined)
    throw usageError(`--${conflictingFlag} and -o - cannot be combined; specify a folder`);
}

/** @throws usage error if there are several outputs to write to stdout. */
function selectSingleOutput({ rows, computed }: OutputSelection): ComputedType | undefined {
  if (computed.length + (rows ? 1 : 0) > 1) {
    throw usageError('-o - takes only one name of --as; specify a folder for several');
  }
  return computed[0];
}
