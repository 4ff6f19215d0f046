import * as z from 'zod';
import { TickhaulError } from '../../base/errors.js';
import type { ParseResponse } from '../service-config.js';
import type { DatasetSymbol, ExchangeRecord, ExchangeSummary } from './exchange-record.js';

/** Only fields that `docs/spec/metadata-api.md#exchange-record` calls required are required; unknown fields are kept. */
const summarySchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  enabled: z.boolean().optional(),
  delisted: z.boolean().optional(),
  supportsDatasets: z.boolean().optional(),
  availableSince: z.string().optional(),
  availableTo: z.string().optional(),
});

const datasetSymbol = z.looseObject({
  id: z.string(),
  dataTypes: z.array(z.string()),
  type: z.string().optional(),
  availableSince: z.string().optional(),
  availableTo: z.string().optional(),
});

// A record may list 270,000 symbols. They are checked in place, since zod's array would build a second list.
const symbolsSchema = z.custom<readonly DatasetSymbol[]>().superRefine((list, context) => {
  if (!Array.isArray(list)) return context.addIssue({ code: 'invalid_type', expected: 'array' });
  for (const [index, symbol] of list.entries()) {
    const issue = datasetSymbol.safeParse(symbol).error?.issues[0];
    if (issue) return context.addIssue({ ...issue, path: [index, ...issue.path] });
  }
});

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

/** Fields of a record that raw replay uses. */
const namesSchema = z.looseObject({
  id: z.string(),
  availableChannels: z.array(z.string()).optional(),
  availableSymbols: z.array(z.string()).optional(),
});
export type ListedNames = z.infer<typeof namesSchema>;

export const parseSummaries: ParseResponse<readonly ExchangeSummary[]> = createParser(z.array(summarySchema));
export const parseRecord: ParseResponse<ExchangeRecord> = createParser(recordSchema);
export const parseListedNames: ParseResponse<ListedNames> = createParser(namesSchema);

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
