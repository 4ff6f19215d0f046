import { withRetries } from '../../base/with-retries.js';
import { readBody } from '../../http/watched-body.js';
import { parseJsonBody } from '../account/parse-json-body.js';
import { withResponseTimeout } from '../account/with-response-timeout.js';
import { readErrorResponse } from '../http/read-error-response.js';
import { formatUrlForLog, sendGet } from '../http/send-request.js';
import type { ServiceClient } from '../http/service-client.js';
import type { KeyAccess } from './key-access.js';

const KEY_INFO_PATH = '/v1/api-key-info';
const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 60_000;
const MAX_BYTES = 16_000_000;

/**
 * What the configured API key may read (service facts, Metadata); nothing at all for a key that has expired.
 * @throws TickhaulError `bad_key` for a wrong key, `unavailable` where the service has no such call, `bad_answer`.
 */
export function fetchKeyInfo(
  client: ServiceClient,
  {
    tries = MAX_ATTEMPTS,
    signal,
  }: { readonly tries?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly KeyAccess[]> {
  const { apiUrl, apiKey, stallTimeoutMs } = client.config;
  const url = apiUrl + KEY_INFO_PATH;
  const name = formatUrlForLog(new URL(url));
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const ask = async (end: AbortSignal): Promise<readonly KeyAccess[]> => {
    // What checks it is loaded while it is on its way.
    const [answer, { parseKeyInfo }] = await Promise.all([
      sendGet(client, url, headers, end),
      import('./key-info-schema.js'),
    ]);
    if (answer.status !== 200) throw await readErrorResponse(answer, apiKey);
    const body = await readBody(answer.body, MAX_BYTES);
    return parseKeyInfo(parseJsonBody(body), name);
  };
  const askOnce = (): Promise<readonly KeyAccess[]> => withResponseTimeout(name, stallTimeoutMs, signal, ask);
  return withRetries(askOnce, { maxAttempts: tries, maxWaitMs: MAX_WAIT_MS, signal });
}
