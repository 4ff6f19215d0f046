import * as z from 'zod';
import { jsonOf } from '../account/json-body.js';
import { wholeAnswer } from '../account/whole-answer.js';
import { readBody } from '../http/body-watch.js';
import type { Client } from '../http/client.js';
import { errorAnswer } from '../http/error-answer.js';
import { get, shownUrl } from '../http/http.js';
import { withRetries } from '../http/retry.js';
import { checkWith } from '../records/schema.js';
import type { Check } from '../types.js';

const PATH = '/v1/api-key-info';
const TRIES = 4;
const MAX_WAIT_MS = 60_000;
const MAX_BYTES = 16_000_000;

/** What an API key may read of one exchange; fields that nobody knows are kept. */
export interface KeyAccess {
  readonly [field: string]: unknown;
  readonly exchange: string;
  readonly accessType?: string | null | undefined;
  /** ISO 8601, UTC. */
  readonly from?: string | null | undefined;
  /** Not included. */
  readonly to?: string | null | undefined;
  /** Empty for all. */
  readonly symbols?: readonly string[] | null | undefined;
  readonly dataPlan?: string | null | undefined;
}

const access = z.looseObject({
  exchange: z.string(),
  accessType: z.string().nullish(),
  from: z.string().nullish(),
  to: z.string().nullish(),
  symbols: z.array(z.string()).nullish(),
  dataPlan: z.string().nullish(),
});

const checkKeyInfo: Check<readonly KeyAccess[]> = checkWith(z.array(access));

/**
 * What the configured API key may read (service facts, Metadata); nothing at all for a key that has expired.
 * @throws TickhaulError `bad_key` for a wrong key, `unavailable` where the service has no such call, `bad_answer`.
 */
export function fetchKeyInfo(
  client: Client,
  { tries = TRIES, signal }: { readonly tries?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly KeyAccess[]> {
  const { apiUrl, apiKey, stallTimeoutMs } = client.config;
  const url = apiUrl + PATH;
  const name = shownUrl(new URL(url));
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const ask = async (end: AbortSignal): Promise<readonly KeyAccess[]> => {
    const answer = await get(client, url, headers, end);
    if (answer.status !== 200) throw await errorAnswer(answer, apiKey);
    const body = await readBody(answer.body, MAX_BYTES);
    return checkKeyInfo(jsonOf(body), name);
  };
  const askOnce = (): Promise<readonly KeyAccess[]> => wholeAnswer(name, stallTimeoutMs, signal, ask);
  return withRetries(askOnce, { tries, maxWaitMs: MAX_WAIT_MS, signal });
}
