import { createHash } from 'node:crypto';
import { parseOutputSelection, ROWS_WORD } from '../convert/output-selection.js';
import type { ConvertSetting, DownloadSettings, Selection } from '../download/download-options.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { OutputOptions } from '../format/output-format.js';
import type { Destination } from '../store/destination.js';
import type { StoreSettings } from '../store/files.js';
import type { Slice } from './split-into-slices.js';

/** How a worker processes a slice: the options of `enqueue` as plain JSON, without unset ones. */
export interface SliceOptions extends Omit<DownloadSettings, 'convert' | 'strict'> {
  readonly convert?:
    | {
        readonly options: OutputOptions;
        /** Names from `--as`. */
        readonly as?: readonly string[] | undefined;
        readonly keepCsv: boolean;
      }
    | undefined;
}

/** Where the files of a slice are written. */
export interface SliceDestination {
  /** A folder that all workers share, as an absolute path, or `s3://bucket/prefix`. */
  readonly dir: string;
  /** Address of the store, as set for `enqueue`. Credentials and proxies are set per worker. */
  readonly store?: Pick<StoreSettings, 'endpoint' | 'region' | 'pathStyle'> | undefined;
}
/** What a slice keeps of the selection. With another value, it is another slice. */
export interface SliceSelection extends Omit<Selection, SliceReplaces | 'layout'> {
  readonly layout: string;
}

/** The parts of a selection that the series and days of a slice replace. */
type SliceReplaces = 'exchange' | 'types' | 'symbols' | 'symbolTypes' | 'from' | 'to' | 'date' | 'last';

/** Data of a slice's job in the queue (`docs/spec/queue.md#job-data`). It never holds an API key. */
export interface SliceJob extends Slice, SliceDestination, SliceSelection {
  /** Name of the pinned plan in the destination. */
  readonly pin: string;
  readonly options: SliceOptions;
  /** Files that the API key of `enqueue` does not cover. These are not the worker's fault. */
  readonly unauthorized?: number | undefined;
}

/** Equal for equal destinations. */
export function destinationKey({ dir, store }: SliceDestination): string {
  return JSON.stringify([dir, store?.endpoint, store?.region, store?.pathStyle]);
}

/**
 * The data that all slices of a plan share.
 * @param pin name of the pinned plan in the destination.
 */
export function toSharedSliceData(
  { selection, options }: Pick<DownloadPlan, 'selection' | 'options'>,
  destination: Destination,
  pin: string,
): Omit<SliceJob, keyof Slice | 'unauthorized'> {
  return {
    pin,
    ...toSliceDestination(destination),
    options: toSliceOptions(options),
    ...toSliceSelection(selection),
  };
}

function toSliceDestination({ hasLocalPaths, name, settings }: Destination): SliceDestination {
  if (hasLocalPaths) return { dir: name };
  const { endpoint, region, pathStyle } = settings;
  return { dir: name, store: { endpoint, region, pathStyle } };
}

/** The layout is text, since the plan of a queue is pinned. */
function toSliceSelection(selection: Selection): SliceSelection {
  const { exchange, types, symbols, symbolTypes, from, to, date, last, layout, ...kept } = selection;
  return { layout: String(layout), ...kept };
}

function toSliceOptions({ convert, strict: _, ...options }: DownloadSettings): SliceOptions {
  if (!convert) return options;
  const { outputSelection, keepCsv } = convert;
  const as = outputSelection && [
    ...(outputSelection.rows ? [ROWS_WORD] : []),
    ...outputSelection.computed.map(({ name }) => name),
  ];
  return { ...options, convert: { options: convert.options, keepCsv, ...(as && { as }) } };
}

/** @param threads threads for conversions. */
export function toDownloadOptions(
  { options: { convert, ...options } }: Pick<SliceJob, 'options'>,
  threads: number,
): DownloadSettings {
  return {
    ...options,
    // Missing files are reported when the queue is filled.
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
 * Equal for equal work, whatever the exchange's record was at planning time. So a slice is in a queue once, however
 * often it is added (`docs/spec/queue.md#job-id`).
 */
export function createJobId({ pin: _, unauthorized: __, store, options, ...slice }: SliceJob): string {
  const { convert, shard } = options;
  // Another store may have a bucket of the same name. Region and style only say how a store is addressed.
  const parts = JSON.stringify([slice, store?.endpoint ?? null, convert ?? null, shard ?? null]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 32);
}
