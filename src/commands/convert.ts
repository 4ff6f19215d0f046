import { availableParallelism } from 'node:os';
import type { ConvertInput } from '../convert/run.js';
import type { Wanted } from '../convert/wanted.js';
import type { Format } from '../format/options.js';
import type { Args } from './arguments/args.js';
import {
  readCount,
  readDataType,
  readPath,
  readPaths,
  readShard,
  readText,
  readToggle,
} from './arguments/read.js';
import type { Host } from './host.js';
import type { Run } from './run.js';
import { readConvertOptions, readWanted } from './selection/conversion.js';
import { createDayFileLookup } from './selection/day-file-lookup.js';
import { readGivenLayout, readSymbols } from './selection/selection.js';

/** What is converted to what, wherever it goes. */
export interface Conversion
  extends Pick<ConvertInput, 'paths' | 'symbols' | 'shard' | 'options' | 'dataType' | 'jobs'> {
  readonly wanted: Wanted;
}

/** @throws usage error. */
export async function readConversion(args: Args, signal: AbortSignal): Promise<Conversion> {
  const format = readText(args, 'format') ?? (readText(args, 'out') === '-' ? 'ndjson' : 'parquet');
  return {
    options: readConvertOptions(args, format as Format),
    paths: readPaths(args, 'path'),
    symbols: await readSymbols(args, signal),
    shard: readShard(args),
    dataType: readDataType(args, 'type'),
    wanted: readWanted(args),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
  };
}

/** Day files to Parquet or NDJSON files (contract, Convert). @throws usage error. */
export async function prepareConvert(args: Args, { signal }: Host): Promise<Run> {
  const input = {
    ...(await readConversion(args, signal)),
    out: readPath(args, 'out'),
    layout: readGivenLayout(args),
    existing: readText(args, 'existing') === 'overwrite' ? 'overwrite' : 'skip',
    dayFileOf: createDayFileLookup(),
    keepSource: !readToggle(args, 'no-keep-source'),
    signal,
  } as const;
  const { convertFiles } = await import('../convert/run.js');
  return ({ emit }) => convertFiles({ ...input, emit });
}
