import { availableParallelism } from 'node:os';
import type { ConvertInput } from '../convert/run.js';
import type { Wanted } from '../convert/wanted.js';
import type { Format } from '../format/options.js';
import type { Args } from './arguments/args.js';
import {
  readCount,
  readDataType,
  readLocation,
  readLocations,
  readShard,
  readText,
  readToggle,
} from './arguments/read.js';
import { storeOf } from './destination.js';
import type { Host } from './host.js';
import type { Run } from './run.js';
import { readConvertOptions, readWanted } from './selection/conversion.js';
import { readGivenLayout, readSymbols } from './selection/selection.js';

/** What is converted to what, wherever it goes. */
export interface Conversion
  extends Pick<ConvertInput, 'paths' | 'symbols' | 'shard' | 'options' | 'dataType' | 'jobs' | 'store'> {
  readonly wanted: Wanted;
}

/** @throws usage error. */
export async function readConversion(args: Args, host: Host): Promise<Conversion> {
  const paths = readLocations(args, 'path');
  const out = readLocation(args, 'out');
  const format = readText(args, 'format') ?? (out === '-' ? 'ndjson' : 'parquet');
  return {
    options: readConvertOptions(args, format as Format),
    paths,
    symbols: await readSymbols(args, host.signal),
    shard: readShard(args),
    dataType: readDataType(args, 'type'),
    wanted: readWanted(args),
    jobs: readCount(args, 'jobs', 1, 256) ?? availableParallelism(),
    store: await storeOf(args, host, [...paths, out]),
  };
}

/** Day files to Parquet or NDJSON files (contract, Convert). @throws usage error. */
export async function prepareConvert(args: Args, host: Host): Promise<Run> {
  const input = {
    ...(await readConversion(args, host)),
    out: readLocation(args, 'out'),
    layout: readGivenLayout(args),
    existing: readText(args, 'existing') === 'overwrite' ? 'overwrite' : 'skip',
    keepSource: !readToggle(args, 'no-keep-source'),
    signal: host.signal,
  } as const;
  const { convertFiles } = await import('../convert/run.js');
  return ({ emit }) => convertFiles({ ...input, emit });
}
