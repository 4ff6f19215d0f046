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

/** An instrument as the service describes it (replay facts, section 9); fields that nobody knows are kept. */
export interface InstrumentInfo {
  readonly [field: string]: unknown;
  /** As the exchange writes it, which raw replay wants. */
  readonly id: string;
  readonly exchange: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly type: string;
  readonly active: boolean;
  readonly availableSince: string;
  readonly availableTo?: string | undefined;
  /** The dataset symbol; absent until it is exported. */
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

const checkInstrument: ParseResponse<InstrumentInfo> = createParser(instrumentSchema);
const checkInstruments: ParseResponse<readonly InstrumentInfo[]> = createParser(z.array(instrumentSchema));

/** Fields of the filter, as the service names them; texts, or lists of texts, or whether it is active. */
export type InstrumentFilter = Readonly<Record<string, unknown>>;

/**
 * The instruments of an exchange that a filter takes.
 * @throws TickhaulError as the answer's status says; `bad_answer` for what is no list of instruments.
 */
export function fetchInstruments(
  client: ServiceClient,
  exchange: string,
  filter: InstrumentFilter,
  signal: AbortSignal,
): Promise<readonly InstrumentInfo[]> {
  const query =
    Object.keys(filter).length === 0 ? '' : `?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return fetchChecked(client, `${encodePathSegment(exchange)}${query}`, checkInstruments, signal);
}

/** One instrument, by its symbol in any case; throws as `fetchInstruments` does. */
export function fetchInstrument(
  client: ServiceClient,
  exchange: string,
  symbol: string,
  signal: AbortSignal,
): Promise<InstrumentInfo> {
  return fetchChecked(
    client,
    `${encodePathSegment(exchange)}/${encodePathSegment(symbol)}`,
    checkInstrument,
    signal,
  );
}

function fetchChecked<T>(
  client: ServiceClient,
  path: string,
  check: ParseResponse<T>,
  signal: AbortSignal,
): Promise<T> {
  const { apiUrl, apiKey } = client.config;
  const url = `${apiUrl}/v1/instruments/${path}`;
  const name = formatUrlForLog(new URL(url));
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const askOnce = async (): Promise<T> => {
    const answer = await sendGet(client, url, headers, signal);
    if (answer.status !== 200) throw await readErrorResponse(answer, apiKey);
    const body = await readAnswer(client, answer);
    return check(jsonOf(body, name), name);
  };
  return withRetries(askOnce, { maxAttempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
}

function jsonOf(body: Buffer, name: string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: expected JSON, found something else`, { cause });
  }
}
