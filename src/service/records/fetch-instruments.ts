import * as z from 'zod';
import { TickhaulError } from '../../base/errors.js';
import { withRetries } from '../../base/with-retries.js';
import { readErrorResponse } from '../http/read-error-response.js';
import { formatUrlForLog, sendGet } from '../http/send-request.js';
import type { ServiceClient } from '../http/service-client.js';
import { encodePathSegment } from '../request-day-file.js';
import type { ParseResponse } from '../service-config.js';
import { readAnswer } from './read-answer.js';
import { createParser } from './record-schema.js';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 60_000;

/** An instrument's description (`docs/spec/metadata-api.md#instruments`). Unknown fields are kept. */
export interface InstrumentInfo {
  readonly [field: string]: unknown;
  /** As the exchange writes it: the name that raw replay takes. */
  readonly id: string;
  readonly exchange: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly type: string;
  readonly active: boolean;
  readonly availableSince: string;
  readonly availableTo?: string | undefined;
  /** Dataset symbol; absent until the symbol is exported. */
  readonly datasetId?: string | undefined;
  readonly contractType?: string | undefined;
}

const instrumentSchema = z.looseObject({
  id: z.string(),
  exchange: z.string(),
  baseCurrency: z.string(),
  quoteCurrency: z.string(),
  type: z.string(),
  active: z.boolean(),
  availableSince: z.string(),
  availableTo: z.string().optional(),
  datasetId: z.string().optional(),
  contractType: z.string().optional(),
});

const parseInstrument: ParseResponse<InstrumentInfo> = createParser(instrumentSchema);
const parseInstruments: ParseResponse<readonly InstrumentInfo[]> = createParser(z.array(instrumentSchema));

/** Filter fields by the service's names; values are texts, lists of texts, or a boolean for `active`. */
export type InstrumentFilter = Readonly<Record<string, unknown>>;

/**
 * Fetches the instruments of an exchange that match a filter.
 * @throws TickhaulError by the response's status; `bad_answer` if the response is not a list of instruments.
 */
export function fetchInstruments(
  client: ServiceClient,
  exchange: string,
  filter: InstrumentFilter,
  signal: AbortSignal,
): Promise<readonly InstrumentInfo[]> {
  const query =
    Object.keys(filter).length === 0 ? '' : `?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return fetchParsed(client, `${encodePathSegment(exchange)}${query}`, parseInstruments, signal);
}

/** Fetches one instrument by its symbol in any case; throws as `fetchInstruments` does. */
export function fetchInstrument(
  client: ServiceClient,
  exchange: string,
  symbol: string,
  signal: AbortSignal,
): Promise<InstrumentInfo> {
  return fetchParsed(
    client,
    `${encodePathSegment(exchange)}/${encodePathSegment(symbol)}`,
    parseInstrument,
    signal,
  );
}

function fetchParsed<T>(
  client: ServiceClient,
  path: string,
  parse: ParseResponse<T>,
  signal: AbortSignal,
): Promise<T> {
  const { apiUrl, apiKey } = client.config;
  const url = `${apiUrl}/v1/instruments/${path}`;
  const name = formatUrlForLog(new URL(url));
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const attempt = async (): Promise<T> => {
    const response = await sendGet(client, url, headers, signal);
    if (response.status !== 200) throw await readErrorResponse(response, apiKey);
    const body = await readAnswer(client, response);
    return parse(parseJson(body, name), name);
  };
  return withRetries(attempt, { maxAttempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
}

function parseJson(body: Buffer, name: string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: expected JSON, found something else`, { cause });
  }
}
