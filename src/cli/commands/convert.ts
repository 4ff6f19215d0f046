import { availableParallelism } from 'node:os';
import type { ConvertOptions, Format } from '../../convert/options.js';
import { usageError } from '../../errors.js';
import { CONVERT_FLAGS } from '../flags.js';
import { readCount, readText, readToggle } from '../read.js';
import { reportRun } from '../session.js';
import type { Args, Command } from '../types.js';

export const convert: Command = {
  syntax: 'convert <path..>',
  describe: 'convert day files to Parquet or NDJSON',
  positionals: { path: { type: 'string', describe: 'day files (.csv.gz), folders to search, globs' } },
  flags: CONVERT_FLAGS,
  examples: [
    ['$0 convert datasets', 'a .parquet beside each day file, where it is not there yet'],
    ["$0 convert 'datasets/*_trades_*.csv.gz' -o parquet --layout hive", 'a partitioned copy'],
    ['$0 convert day.csv.gz -o - | head -n 1', 'NDJSON to stdout'],
  ],
  working: true,
  outlivesReader: true,
  async run(args, cli) {
    const options = await readConvertOptions(args);
    const paths = (args['path'] as readonly string[]).map(String);
    const dataType = readText(args, 'type');
    const jobs = readCount(args, 'jobs', 1, 256) ?? availableParallelism();
    if (readText(args, 'out') === '-') {
      refuseWithStdout(args, options);
      const { convertToStream } = await import('../../convert/stream.js');
      const { dataOut: output, signal } = cli;
      return reportRun(args, cli, (_reporter, emit) =>
        convertToStream({ paths, options, dataType, jobs, output, emit, signal }),
      );
    }
    const { convertFiles } = await import('../../convert/run.js');
    const { createDayFileLookup } = await import('../day-file-lookup.js');
    return reportRun(args, cli, (_reporter, emit) =>
      convertFiles({
        paths,
        options,
        out: readText(args, 'out'),
        layout: readText(args, 'layout'),
        dataType,
        jobs,
        existing: readText(args, 'existing') === 'overwrite' ? 'overwrite' : 'skip',
        dayFileOf: createDayFileLookup(),
        keepSource: !readToggle(args, 'no-keep-source'),
        emit,
        signal: cli.signal,
      }),
    );
  },
};

/** @throws usage error for what makes no sense when the rows go to stdout. */
function refuseWithStdout(args: Args, { format }: ConvertOptions): void {
  if (format !== 'ndjson') throw usageError('-o - writes NDJSON; leave --format out, or name a folder');
  const useless = ['layout', 'existing'].find((flag) => args[flag] !== undefined);
  if (useless !== undefined) throw usageError(`--${useless} is of no use with -o -; leave it out`);
  const refused = ['json', 'no-keep-source'].find((flag) => readToggle(args, flag));
  if (refused !== undefined) throw usageError(`--${refused} and -o - don't go together; name a folder`);
}

const MAX_ROW_GROUP = 1024 * 1024;

async function readConvertOptions(args: Args): Promise<ConvertOptions> {
  const { convertOptions } = await import('../../convert/options.js');
  const format = readText(args, 'format') ?? (readText(args, 'out') === '-' ? 'ndjson' : 'parquet');
  return convertOptions(format as Format, {
    compression: readText(args, 'compression') as ConvertOptions['compression'] | undefined,
    times: readText(args, 'times') as ConvertOptions['times'] | undefined,
    numbers: readText(args, 'numbers') as ConvertOptions['numbers'] | undefined,
    rowGroup: readRows(readText(args, 'row-group')),
  });
}

/** A count of rows; `128k` is 128 times 1024. */
function readRows(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})(k?)$/i.exec(text);
  const rows = Number(match?.[1]) * (match?.[2] ? 1024 : 1);
  if (rows >= 1 && rows <= MAX_ROW_GROUP) return rows;
  throw usageError(`--row-group: "${text}" is not a number of rows, 1 to 1024k`);
}
