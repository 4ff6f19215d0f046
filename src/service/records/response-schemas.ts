import * as z from 'zod';
import { TickhaulError } from '../../base/errors.js';
import type { ParseResponse } from '../service-client.js';

/**
 * Responses of the metadata host: schemas, the types inferred from them, and parsers. Only fields that
 * the specification calls required are required (`docs/spec/metadata-api.md#exchange-record`); unknown fields are kept.
 * Times are ISO 8601, UTC.
 */

/** An element of `/v1/exchanges`. */
const summarySchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  enabled: z.boolean().optional(),
  delisted: z.boolean().optional(),
  supportsDatasets: z.boolean().optional(),
  availableSince: z.string().optional(),
  availableTo: z.string().optional(),
});
export type ExchangeSummary = Readonly<z.infer<typeof summarySchema>>;

/** An element of a record's `datasets.symbols`. */
const datasetSymbol = z.looseObject({
  id: z.string(),
  dataTypes: z.array(z.string()).readonly(),
  type: z.string().optional(),
  availableSince: z.string().optional(),
  availableTo: z.string().optional(),
});
export type DatasetSymbol = Readonly<z.infer<typeof datasetSymbol>>;

// A record may list 270,000 symbols. They are checked in place, since zod's array would build a second list.
const symbolsSchema = z.custom<readonly DatasetSymbol[]>().superRefine((list, context) => {
  if (!Array.isArray(list)) return context.addIssue({ code: 'invalid_type', expected: 'array' });
  for (const [index, symbol] of list.entries()) {
    const issue = datasetSymbol.safeParse(symbol).error?.issues[0];
    if (issue) return context.addIssue({ ...issue, path: [index, ...issue.path] });
  }
});

/** `/v1/exchanges/:exchange`; `datasets` is absent if the exchange has no day files. */
const recordSchema = z.looseObject({
  ...summarySchema.shape,
  datasets: z
    .looseObject({
      exportedFrom: z.string().optional(),
      exportedUntil: z.string(),
      symbols: symbolsSchema,
    })
    .optional(),
});
export type ExchangeRecord = Readonly<z.infer<typeof recordSchema>>;

/** Fields of a record that raw replay uses. */
const namesSchema = z.looseObject({
  id: z.string(),
  availableChannels: z.array(z.string()).optional(),
  availableSymbols: z.array(z.string()).optional(),
});

/** An instrument's description. */
const instrumentSchema = z.looseObject({
  /** As the exchange writes it: the name that raw replay takes. */
  id: z.string(),
  exchange: z.string(),
  baseCurrency: z.string(),
  quoteCurrency: z.string(),
  type: z.string(),
  active: z.boolean(),
  availableSince: z.string(),
  availableTo: z.string().optional(),
  /** Dataset symbol; absent until the symbol is exported. */
  datasetId: z.string().optional(),
  contractType: z.string().optional(),
});
export type InstrumentInfo = Readonly<z.infer<typeof instrumentSchema>>;

/** Access of an API key to one exchange. */
const accessSchema = z.looseObject({
  exchange: z.string(),
  accessType: z.string().nullish(),
  from: z.string().nullish(),
  /** Exclusive. */
  to: z.string().nullish(),
  /** Empty or null for all. */
  symbols: z.array(z.string()).readonly().nullish(),
  dataPlan: z.string().nullish(),
});
export type KeyAccess = Readonly<z.infer<typeof accessSchema>>;

export const parseSummaries = createParser(z.array(summarySchema));
export const parseRecord = createParser(recordSchema);
export const parseListedNames = createParser(namesSchema);
export const parseInstrument = createParser(instrumentSchema);
export const parseInstruments = createParser(z.array(instrumentSchema));
export const parseKeyInfo = createParser(z.array(accessSchema));

/** Creates a parser that checks JSON against a schema; throws `bad_answer` with the path of the first problem. */
export function createParser<T>(schema: z.ZodType<T>): ParseResponse<T> {
  return (json, name) => {
    const result = schema.safeParse(json);
    if (result.success) return result.data;
    const issue = result.error.issues[0];
    const path = issue?.path ?? [];
    const found = path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], json);
    const missing = path.length === 0 ? 'is not JSON' : 'is missing';
    const problem = found === undefined ? missing : `is ${describeKind(found)}${describeExpectation(issue)}`;
    throw new TickhaulError('bad_answer', `${name}: ${formatPath(path)} ${problem}`);
  };
}

/** Describes the expected type for users; zod's own texts are meant for programmers. */
function describeExpectation(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'custom') return `: ${issue.message}`;
  if (issue?.code !== 'invalid_type') return ', which is invalid';
  return `, and must be ${withArticle(issue.expected)}`;
}

function describeKind(value: unknown): string {
  if (value === null) return 'null';
  return withArticle(Array.isArray(value) ? 'array' : typeof value);
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}

function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the response';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
