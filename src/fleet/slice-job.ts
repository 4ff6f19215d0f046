import { createHash } from 'node:crypto';
import * as z from 'zod';
import { TickhaulError } from '../base/errors.js';
import {
  COMPRESSIONS,
  NUMBER_ENCODINGS,
  OUTPUT_FORMAT_CHOICES,
  TIME_ENCODINGS,
} from '../base/output-format-names.js';
import { parseOutputSelection, ROWS_WORD, selectedBarRules } from '../convert/output-selection.js';
import { parseDay } from '../day-files/day.js';
import { createDayTest, listDays } from '../day-files/day-selection.js';
import { isShard } from '../day-files/shard.js';
import type { ConvertSetting, DownloadSettings, Selection } from '../download/download-options.js';
import type { DownloadPlan } from '../download/plan/create-download-plan.js';
import type { OutputOptions } from '../format/output-format.js';
import type { BarRules } from '../market/message-type-name.js';
import { PLAN_DOWNLOAD_OPTIONS } from '../options/day-file-options.js';
import type { OptionDefinition } from '../options/option-definition.js';
import { valueNameOf } from '../options/option-values.js';
import { readOption } from '../options/read-options.js';
import type { DatasetSymbol, ExchangeRecord } from '../service/records/fetch-records.js';
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
        /** Rules of the time bars. */
        readonly bars?: BarRules | undefined;
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
type SliceReplaces = 'exchange' | 'types' | 'symbols' | 'symbolTypes' | 'from' | 'to' | 'last' | 'free';

/** What the exchange's record said of a series when the slice was enqueued, as times in ISO 8601, UTC. */
export interface SeriesRecord
  extends Pick<DatasetSymbol, 'type' | 'availableSince' | 'availableTo'>,
    Pick<NonNullable<ExchangeRecord['datasets']>, 'exportedFrom' | 'exportedUntil'> {}

/** Data of a slice's job in the queue (`docs/spec/queue.md#job-data`). It never holds an API key. */
export interface SliceJob extends Slice, SliceDestination, SliceSelection {
  readonly series: SeriesRecord;
  /** Result of `hashSeries`. */
  readonly plan: string;
  readonly options: SliceOptions;
  /** Files that the API key of `enqueue` does not cover. These are not the worker's fault. */
  readonly unauthorized?: number | undefined;
}

/** Equal for equal destinations. */
export function destinationKey({ dir, store }: SliceDestination): string {
  return JSON.stringify([dir, store?.endpoint, store?.region, store?.pathStyle]);
}

/** The data that all slices of a plan share. */
export function toSharedSliceData(
  { selection, options }: Pick<DownloadPlan, 'selection' | 'options'>,
  destination: Destination,
): Omit<SliceJob, keyof Slice | 'series' | 'plan' | 'unauthorized' | 'date'> {
  return {
    ...toSliceDestination(destination),
    options: toSliceOptions(options),
    ...toSliceSelection(selection),
  };
}

/**
 * The days of a slice if the selection has single ones. An earlier version, which knows only ranges, refuses such a slice.
 */
export function toSliceDays({ date, free }: Selection, { from, to }: Slice): Pick<SliceJob, 'date'> {
  if (!free && !(date && date.length > 1)) return {};
  const has = createDayTest({ date, free });
  return { date: listDays({ from: parseDay(from), to: parseDay(to), has }) };
}

function toSliceDestination({ hasLocalPaths, name, settings }: Destination): SliceDestination {
  if (hasLocalPaths) return { dir: name };
  const { endpoint, region, pathStyle } = settings;
  return { dir: name, store: { endpoint, region, pathStyle } };
}

/** The layout is text, since a queue is filled from the command line. */
function toSliceSelection(selection: Selection): Omit<SliceSelection, 'date'> {
  const { exchange, types, symbols, symbolTypes, from, to, date, last, free, layout, ...kept } = selection;
  return { layout: String(layout), ...kept };
}

function toSliceOptions({ convert, strict: _, ...options }: DownloadSettings): SliceOptions {
  if (!convert) return options;
  const { outputSelection, keepCsv } = convert;
  const as = outputSelection && [
    ...(outputSelection.rows ? [ROWS_WORD] : []),
    ...outputSelection.computed.map(({ name }) => name),
  ];
  const bars = outputSelection && selectedBarRules(outputSelection);
  const hasRules = bars && Object.keys(bars).length > 0;
  const names = { ...(as && { as }), ...(hasRules && { bars }) };
  return { ...options, convert: { options: convert.options, keepCsv, ...names } };
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
  { options, as, bars, keepCsv }: NonNullable<SliceOptions['convert']>,
  threads: number,
): ConvertSetting {
  return { options, outputSelection: as && parseOutputSelection(as, bars), keepCsv, threads };
}

/**
 * Creates a function that adds to a slice what the record says of its series. A record may have 270,000 symbols, which
 * are indexed once.
 */
export function createSeriesReader({
  datasets,
}: ExchangeRecord): (slice: Slice) => Pick<SliceJob, 'series' | 'plan'> {
  const symbols = new Map<string, DatasetSymbol>();
  for (const symbol of datasets?.symbols ?? []) if (!symbols.has(symbol.id)) symbols.set(symbol.id, symbol);
  return (slice) => {
    const symbol = symbols.get(slice.symbol);
    if (!datasets || !symbol) throw new Error(`${slice.symbol}: a planned series that its record lacks`);
    const { type, availableSince, availableTo } = symbol;
    const { exportedFrom, exportedUntil } = datasets;
    const series: SeriesRecord = { type, availableSince, availableTo, exportedFrom, exportedUntil };
    return { series, plan: hashSeries({ ...slice, series }) };
  };
}

/** Equal if a slice has the same days in two plans. It also detects a series that belongs to another slice. */
export function hashSeries({
  exchange,
  dataType,
  symbol,
  series,
}: Pick<SliceJob, 'exchange' | 'dataType' | 'symbol' | 'series'>): string {
  return hashJson([exchange, dataType, symbol, series]);
}

/** The selection and the record of a slice, from which its worker plans its files. */
export function toPlanInputs(job: SliceJob): {
  readonly selection: Selection;
  readonly record: ExchangeRecord;
} {
  const { exchange, dataType, symbol, from, to, series, ...others } = job;
  const { dir, store, plan, options, unauthorized, date, ...kept } = others;
  const days = date ? { date } : { from, to };
  const { exportedFrom, exportedUntil, ...availability } = series;
  const symbols = [{ id: symbol, dataTypes: [dataType], ...availability }];
  return {
    selection: { exchange, types: [dataType], symbols: [symbol], ...days, ...kept },
    record: { id: exchange, datasets: { exportedFrom, exportedUntil, symbols } },
  };
}

/**
 * Equal for equal work, whatever the exchange's record was at planning time. So a slice is in a queue once, however
 * often it is added (`docs/spec/queue.md#job-id`).
 */
export function createJobId(job: SliceJob): string {
  const { series: _, plan: __, unauthorized: ___, store, options, ...slice } = job;
  const { convert, shard } = options;
  // Another store may have a bucket of the same name. Region and style only say how a store is addressed.
  return hashJson([slice, store?.endpoint ?? null, convert ?? null, shard ?? null]);
}

const HASH_DIGITS = 32;

function hashJson(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, HASH_DIGITS);
}

const names = z.array(z.string());
const day = z.string().refine((text) => isDay(text), 'it is not a day');

/** Values of download options by type of option. */
const VALUES = {
  flag: z.boolean(),
  text: z.string(),
  list: names,
  count: z.int().min(0),
  concurrency: z.union([z.int().min(1), z.literal('auto')]),
  duration: z.number().min(0),
  timer: z.number().min(0),
  rate: z.number().positive(),
  shard: z.looseObject({ index: z.int(), count: z.int() }).refine(isShard, 'there is no such shard'),
};

/** An option that is missing, as in the job of an earlier version, has its default. */
function optionSchemas(): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries<OptionDefinition>(PLAN_DOWNLOAD_OPTIONS).map(([flag, option]) => {
      const value: z.ZodType = option.choices
        ? z.enum(option.choices)
        : VALUES[option.type as keyof typeof VALUES];
      const missing = readOption(option, undefined, flag);
      return [valueNameOf(flag, option), missing === undefined ? value.optional() : value.default(missing)];
    }),
  );
}

/** The job data that `enqueue` writes (`docs/spec/queue.md#job-data`). Fields of later versions are accepted. */
const sliceJob = z
  .looseObject({
    exchange: z.string().min(1),
    dataType: z.string().min(1),
    symbol: z.string().min(1),
    from: day,
    to: day,
    dir: z.string().min(1),
    store: z
      .looseObject({
        endpoint: z.string().optional(),
        region: z.string().optional(),
        pathStyle: z.boolean().optional(),
      })
      .optional(),
    series: z.looseObject({
      type: z.string().optional(),
      availableSince: z.string().optional(),
      availableTo: z.string().optional(),
      exportedFrom: z.string().optional(),
      exportedUntil: z.string(),
    }),
    plan: z.string(),
    options: z.looseObject({
      ...optionSchemas(),
      convert: z
        .looseObject({
          options: z.looseObject({
            format: z.enum(OUTPUT_FORMAT_CHOICES),
            compression: z.enum(COMPRESSIONS),
            rowGroup: z.int().min(1).optional(),
            times: z.enum(TIME_ENCODINGS),
            numbers: z.enum(NUMBER_ENCODINGS),
            encodings: z.literal('plain').optional(),
          }),
          as: names.optional(),
          bars: z
            .looseObject({ barTime: z.literal('open').optional(), fill: z.literal('close').optional() })
            .optional(),
          keepCsv: z.boolean(),
        })
        .optional(),
    }),
    weekdays: names.optional(),
    date: z.array(day).optional(),
    layout: z.string(),
    unauthorized: z.int().min(0).optional(),
  })
  .refine(({ from, to }) => from < to, { message: 'it has no days', path: ['to'] });

/** Parses the data of a queued job, and adds defaults to its options. @throws TickhaulError `rejected` if `enqueue` would not write it. */
export function parseSliceJob(data: unknown, id = ''): SliceJob {
  const { success, data: job, error } = sliceJob.safeParse(data);
  if (!success) throw createDamagedJobError(id, error.issues[0] ?? { path: [], message: 'invalid' });
  // The hash of the given data: its fields are in the order of `enqueue`, also those of later versions.
  if (job.plan !== hashSeries(data as SliceJob))
    throw createDamagedJobError(id, { path: ['plan'], message: 'it is not the hash of the series' });
  return job as unknown as SliceJob;
}

function createDamagedJobError(
  id: string,
  { path, message }: Pick<z.core.$ZodIssue, 'path' | 'message'>,
): TickhaulError {
  const field = path.length > 0 ? `${path.join('.')}: ` : '';
  return new TickhaulError(
    'rejected',
    `slice ${id}: its job in the queue is damaged (${field}${message}); add it again with tickhaul enqueue`,
  );
}

/** The slice of a job with any data; fields that are not strings are empty. */
export function readSlice(data: unknown): Slice {
  const record = (typeof data === 'object' ? data : undefined) ?? {};
  const readText = (name: keyof Slice): string => {
    const value: unknown = (record as Partial<Record<keyof Slice, unknown>>)[name];
    return typeof value === 'string' ? value : '';
  };
  const [exchange, dataType, symbol] = [readText('exchange'), readText('dataType'), readText('symbol')];
  return { exchange, dataType, symbol, from: readText('from'), to: readText('to') };
}

function isDay(text: string): boolean {
  try {
    parseDay(text);
    return true;
  } catch {
    return false;
  }
}
