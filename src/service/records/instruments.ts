import * as z from 'zod';
import { TickhaulError } from '../../base/errors.js';
import { withRetries } from '../../base/retry.js';
import { pathSegment } from '../datasets.js';
import type { Client } from '../http/client.js';
import { errorAnswer } from '../http/error-answer.js';
import { get, shownUrl } from '../http/http.js';
import type { Check } from '../types.js';
import { readAnswer } from './read-answer.js';
import { checkWith } from './schema.js';

const TRIES = 4;
const MAX_WAIT_MS = 60_000;

/** An instrument as the service describes it (replay facts, section 9); fields that nobody knows are kept. */
export interface Instrument {
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

const instrument = z.looseObject({
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

const checkInstrument: Check<Instrument> = checkWith(instrument);
const checkInstruments: Check<readonly Instrument[]> = checkWith(z.array(instrument));

/** Fields of the filter, as the service names them; texts, or lists of texts, or whether it is active. */
export type InstrumentFilter = Readonly<Record<string, unknown>>;

/**
 * The instruments of an exchange that a filter takes.
 * @throws TickhaulError as the answer's status says; `bad_answer` for what is no list of instruments.
 */
export function fetchInstruments(
  client: Client,
  exchange: string,
  filter: InstrumentFilter,
  signal: AbortSignal,
): Promise<readonly Instrument[]> {
  const query =
    Object.keys(filter).length === 0 ? '' : `?filter=${encodeURIComponent(JSON.stringify(filter))}`;
  return fetchChecked(client, `${pathSegment(exchange)}${query}`, checkInstruments, signal);
}

/** One instrument, by its symbol in any case; throws as `fetchInstruments` does. */
export function fetchInstrument(
  client: Client,
  exchange: string,
  symbol: string,
  signal: AbortSignal,
): Promise<Instrument> {
  return fetchChecked(client, `${pathSegment(exchange)}/${pathSegment(symbol)}`, checkInstrument, signal);
}

function fetchChecked<T>(client: Client, path: string, check: Check<T>, signal: AbortSignal): Promise<T> {
  const { apiUrl, apiKey } = client.config;
  const url = `${apiUrl}/v1/instruments/${path}`;
  const name = shownUrl(new URL(url));
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const askOnce = async (): Promise<T> => {
    const answer = await get(client, url, headers, signal);
    if (answer.status !== 200) throw await errorAnswer(answer, apiKey);
    const body = await readAnswer(client, answer);
    return check(jsonOf(body, name), name);
  };
  return withRetries(askOnce, { tries: TRIES, maxWaitMs: MAX_WAIT_MS, signal });
}

function jsonOf(body: Buffer, name: string): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: expected JSON, found something else`, { cause });
  }
}
