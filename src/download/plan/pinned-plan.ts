import { createHash } from 'node:crypto';
import * as z from 'zod';
import { usageError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';
import { formatDay } from '../../day-files/day.js';
import { listDays } from '../../day-files/day-selection.js';
import { parseLayout } from '../../day-files/layout.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import { createParser, parseRecord } from '../../service/records/response-schemas.js';
import type { Selection } from '../download-options.js';
import type { DownloadPlan } from './create-download-plan.js';

/**
 * The inputs of a plan: with them, every machine computes the same day files, whatever the service's record
 * is then.
 */
export interface PinnedPlan {
  /** With `from` and `to`, or single days as `date`, and a layout that is text. */
  readonly selection: Selection;
  /** Reduced to the fields that a plan uses. */
  readonly record: ExchangeRecord;
}

/** Version of the format below. */
const PIN_VERSION = 1;

/** @throws usage error for a layout that is a function, which cannot be saved. */
export function createPin(
  record: ExchangeRecord,
  { selection, range }: Pick<DownloadPlan, 'selection' | 'range'>,
): PinnedPlan {
  // In this order, on which the checksum of the file depends.
  const { exchange, types, symbols, symbolTypes, weekdays, layout, date, free, ...others } = selection;
  if (typeof layout === 'function')
    throw usageError('--pin: a layout that is a function cannot be pinned; use a template');
  const { id, datasets } = record;
  return {
    selection: {
      exchange,
      types,
      symbols,
      symbolTypes,
      weekdays,
      ...others,
      last: undefined,
      // Single days are listed, so that an earlier version, which knows only ranges, refuses the plan.
      ...(free || (date && date.length > 1)
        ? { from: undefined, to: undefined, date: listDays(range) }
        : { from: formatDay(range.from), to: formatDay(range.to) }),
      layout,
    },
    record: { id, datasets },
  };
}

const PIN_HEAD = '{"sha256":"';
const SUM_DIGITS = 64;
const PIN_MIDDLE = '","pinned":';
const PIN_END = '}\n';

/** Formats a pinned plan: one JSON object, with the SHA-256 of the value of `"pinned":`. */
export function formatPin(pin: PinnedPlan): readonly string[] {
  const text = JSON.stringify({ version: PIN_VERSION, ...pin });
  return [PIN_HEAD + sha256Hex(text) + PIN_MIDDLE, text, PIN_END];
}

/** @throws usage error for another kind of file, or a modified one. @param name of the file, for errors. */
export function parsePin(text: string, name: string): PinnedPlan {
  const start = PIN_HEAD.length + SUM_DIGITS + PIN_MIDDLE.length;
  const head = text.slice(0, start);
  const sum = head.slice(PIN_HEAD.length, -PIN_MIDDLE.length);
  if (head !== PIN_HEAD + sum + PIN_MIDDLE || !/^[0-9a-f]*$/.test(sum))
    throw usageError(`${name}: is not a pinned plan; create one with plan --pin`);
  const pinned = text.slice(start, -PIN_END.length);
  if (!text.endsWith(PIN_END) || sha256Hex(pinned) !== sum)
    throw usageError(
      `${name}: was changed or truncated after plan --pin wrote it; restore the file, or pin again`,
    );
  try {
    const pin = parsePinContent(parseShallowJson(pinned), name);
    parseLayout(pin.selection.layout);
    return pin;
  } catch {
    throw usageError(`${name}: has a format that this version does not support; pin again`);
  }
}

const textList = z.array(z.string());

const parsePinContent = createParser<PinnedPlan>(
  z.object({
    version: z.literal(PIN_VERSION),
    // Loose, so that a plan keeps every option of its selection.
    selection: z.looseObject({
      exchange: z.string(),
      types: textList,
      symbols: textList,
      symbolTypes: textList.optional(),
      weekdays: textList.optional(),
      from: z.string().optional(),
      to: z.string().optional(),
      date: textList.optional(),
      layout: z.string(),
    }),
    record: z.custom<ExchangeRecord>((value) => parseRecord(value, 'record') !== undefined),
  }),
);

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
