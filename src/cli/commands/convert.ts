import { usageError } from '../../base/errors.js';
import { OUTPUT_FORMAT_CHOICES, OUTPUT_FORMAT_TABLE } from '../../base/output-format-names.js';
import { joinWithOr } from '../../base/units.js';
import type { RunSummary } from '../../events/run-events.js';
import type { OutputOptions } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { Context } from '../../operations/context.js';
import type { ConvertValues } from '../../operations/convert.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runOperation } from '../run-command.js';

export const convertCommand = defineCommand(COMMAND_OPTIONS.convert, {
  examples: [
    ['$0 convert datasets', 'write a .parquet next to each day file that has none'],
    ["$0 convert 'datasets/*_trades_*.csv.gz' -o parquet --layout hive", 'write a partitioned copy'],
    ['$0 convert datasets --as trade_bar_1m', 'compute one-minute bars of each day file of trades'],
    ['$0 convert datasets --as trade_bar_1m -o bars.parquet', 'the same, all days and symbols in one file'],
    ['$0 convert deribit_trades_2024-03-01_SPOT.csv.gz -o - | head -n 1', 'print NDJSON to stdout'],
    [
      '$0 convert datasets --as trade_bar_60m --bar-time open --fill -f csv',
      'write hourly bars as CSV, without gaps',
    ],
    ['$0 convert datasets -f arrow --compression lz4', 'write .arrow files, which Polars and pandas map'],
  ],
  async run(options, cli) {
    if (options.out === '-') return convertToStdout(options, cli);
    const { runConvert } = await import('../../operations/convert.js');
    return runOperation(runConvert, options, cli);
  },
});

async function convertToStdout(options: ConvertValues, cli: CliHost): Promise<number> {
  const { openConvertSelection, selectSingleOutput } = await import('../../operations/convert.js');
  // Progress bars would mix with the rows on the same screen.
  const quiet = cli.output.quiet || cli.stdout.isTTY === true;
  const operation = async (_: ConvertValues, context: Context): Promise<RunSummary> => {
    const { emit, signal } = context;
    const { outputSelection, ...conversion } = await openConvertSelection(options, context);
    assertStdoutFlags(options, conversion.options);
    const computed = selectSingleOutput(outputSelection, '-');
    const { convertToStream } = await import('../../convert/convert-to-stream.js');
    return convertToStream({ ...conversion, computed, output: cli.dataOut, emit, signal });
  };
  return runOperation(operation, options, cli, { quiet });
}

/** @throws usage error for flags that do not apply to rows on stdout. */
function assertStdoutFlags({ given, json, noKeepSource }: ConvertValues, { format }: OutputOptions): void {
  if (!OUTPUT_FORMATS[format].openStream) {
    const labels = OUTPUT_FORMAT_CHOICES.filter((name) => OUTPUT_FORMATS[name].openStream).map(
      (name) => OUTPUT_FORMAT_TABLE[name].label,
    );
    throw usageError(`-o - writes ${joinWithOr(labels)}; omit --format, or specify a folder`);
  }
  const unusedFlag = (['layout', 'existing'] as const).find((flag) => given.has(flag));
  if (unusedFlag !== undefined) throw usageError(`--${unusedFlag} has no effect with -o -; omit it`);
  const conflictingFlag = json ? 'json' : noKeepSource ? 'no-keep-source' : undefined;
  if (conflictingFlag !== undefined)
    throw usageError(`--${conflictingFlag} and -o - cannot be combined; specify a folder`);
}
