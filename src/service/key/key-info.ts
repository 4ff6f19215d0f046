import { withRetries } from '../../base/retry.js';
import { readBody } from '../../http/body-watch.js';
import { jsonOf } from '../account/json-body.js';
import { wholeAnswer } from '../account/whole-answer.js';
import type { Client } from '../http/client.js';
import { errorAnswer } from '../http/error-answer.js';
import { get, shownUrl } from '../http/http.js';
import type { KeyAccess } from './key-access.js';

const PATH = '/v1/api-key-info';
const TRIES = 4;
const MAX_WAIT_MS = 60_000;
const MAX_BYTES = 16_000_000;

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
    // What checks it is loaded while it is on its way.
    const [answer, { checkKeyInfo }] = await Promise.all([
      get(client, url, headers, end),
      import('./schema.js'),
    ]);
    if (answer.status !== 200) throw await errorAnswer(answer, apiKey);
    const body = await readBody(answer.body, MAX_BYTES);
    return checkKeyInfo(jsonOf(body), name);
  };
  const askOnce = (): Promise<readonly KeyAccess[]> => wholeAnswer(name, stallTimeoutMs, signal, ask);
  return withRetries(askOnce, { tries, maxWaitMs: MAX_WAIT_MS, signal });
}
