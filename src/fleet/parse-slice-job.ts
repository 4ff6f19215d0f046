import * as z from 'zod';
import { TickhaulError } from '../base/errors.js';
import {
  COMPRESSIONS,
  NUMBER_ENCODINGS,
  OUTPUT_FORMAT_CHOICES,
  TIME_ENCODINGS,
} from '../base/output-format-names.js';
import { parseDay } from '../day-files/day.js';
import { isShard } from '../day-files/shard.js';
import { PLAN_DOWNLOAD_OPTIONS } from '../options/day-file-options.js';
import type { OptionDefinition } from '../options/option-definition.js';
import { valueNameOf } from '../options/option-values.js';
import { readOption } from '../options/read-options.js';
import type { SliceJob } from './slice-job.js';
import type { Slice } from './split-into-slices.js';

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
    // The name becomes part of a path.
    pin: z.string().regex(/^[\w-]+$/),
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
          keepCsv: z.boolean(),
        })
        .optional(),
    }),
    weekdays: names.optional(),
    layout: z.string(),
    unauthorized: z.int().min(0).optional(),
  })
  .refine(({ from, to }) => from < to, { message: 'it has no days', path: ['to'] });

/** Parses the data of a queued job, and adds defaults to its options. @throws TickhaulError `rejected` if `enqueue` would not write it. */
export function parseSliceJob(data: unknown, id = ''): SliceJob {
  const { success, data: job, error } = sliceJob.safeParse(data);
  if (success) return job as unknown as SliceJob;
  const { path, message } = error.issues[0] ?? { path: [], message: 'invalid' };
  const field = path.length > 0 ? `${path.join('.')}: ` : '';
  throw new TickhaulError(
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

/** The plan name of a job with any data. */
export function readPinName(data: unknown): unknown {
  return typeof data === 'object' ? (data as Partial<SliceJob> | null)?.pin : undefined;
}

function isDay(text: string): boolean {
  try {
    parseDay(text);
    return true;
  } catch {
    return false;
  }
}
