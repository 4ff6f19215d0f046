import { createHash } from 'node:crypto';
import { parseOutputSelection, ROWS_WORD } from '../convert/output-selection.js';
import type { ConvertSetting, DownloadOptions } from '../download/download-options.js';
import type { ConvertOptions } from '../format/convert-options.js';
import type { Destination } from '../store/destination.js';
import type { StoreSettings } from '../store/files.js';
import type { Slice } from './split-into-slices.js';

/** How a worker brings a slice's files: what `enqueue` was told, as plain JSON; what it wasn't told is left out. */
export interface SliceOptions extends Omit<DownloadOptions, 'convert' | 'strict'> {
  readonly convert?:
    | {
        readonly options: ConvertOptions;
        /** Names of `--as`. */
        readonly as?: readonly string[] | undefined;
        readonly keepCsv: boolean;
      }
    | undefined;
}

/** Where the files of a slice belong. */
export interface SliceDestination {
  /** A folder that all workers share, as an absolute path, or `s3://bucket/prefix`. */
  readonly dir: string;
  /** How its store is reached, as `enqueue` was told; credentials and proxies are each worker's own. */
  readonly store?: Pick<StoreSettings, 'endpoint' | 'region' | 'pathStyle'> | undefined;
}

/** What stands in the queue of a slice; never a key. */
export interface SliceJob extends Slice, SliceDestination {
  /** Name of the pinned plan in the destination. */
  readonly pin: string;
  readonly options: SliceOptions;
  /** Of the selection: with other days, it is another slice. */
  readonly weekdays?: readonly string[] | undefined;
  readonly layout: string;
  /** Files that the key of whoever filled the queue doesn't cover: no worker is to blame for them. */
  readonly unauthorized?: number | undefined;
}

/** The same for the same destination. */
export function destinationKey({ dir, store }: SliceDestination): string {
  return JSON.stringify([dir, store?.endpoint, store?.region, store?.pathStyle]);
}

export function toSliceDestination({ kind, name, settings }: Destination): SliceDestination {
  if (kind === 'folder') return { dir: name };
  const { endpoint, region, pathStyle } = settings;
  return { dir: name, store: { endpoint, region, pathStyle } };
}

export function toSliceOptions({ convert, strict: _, ...options }: DownloadOptions): SliceOptions {
  if (!convert) return options;
  const { outputSelection, keepCsv } = convert;
  const as = outputSelection && [
    ...(outputSelection.rows ? [ROWS_WORD] : []),
    ...outputSelection.computed.map(({ name }) => name),
  ];
  return { ...options, convert: { options: convert.options, keepCsv, ...(as && { as }) } };
}

/** @param threads that this worker converts with. */
export function toDownloadOptions({ options }: SliceJob, threads: number): DownloadOptions {
  const { convert, ...rest } = options;
  return {
    ...rest,
    // What isn't there is told when the queue is filled.
    strict: false,
    convert: convert && toConvertSetting(convert, threads),
  };
}

function toConvertSetting(
  { options, as, keepCsv }: NonNullable<SliceOptions['convert']>,
  threads: number,
): ConvertSetting {
  return { options, outputSelection: as && parseOutputSelection(as), keepCsv, threads };
}

/**
 * The same for the same work, whatever the exchange's record said when it was planned: so a slice stands in a queue
 * once, however often it is put there.
 */
export function createJobId({ pin: _, unauthorized: __, store, options, ...slice }: SliceJob): string {
  const { convert, shard } = options;
  // A bucket of the same name may be another store's; its region and style say only how it is reached.
  const parts = JSON.stringify([slice, store?.endpoint ?? null, convert ?? null, shard ?? null]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 32);
}
