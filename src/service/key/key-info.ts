import { withRetries } from '../../base/with-retries.js';
import { readBody } from '../../http/watched-body.js';
import { parseJsonBody, readErrorResponse } from '../http/read-error-response.js';
import { formatUrlForLog, sendGet, withResponseTimeout } from '../http/send-request.js';
import type { ServiceClient } from '../http/service-client.js';
import type { KeyAccess } from '../records/response-schemas.js';

export type { KeyAccess };

/** Number of characters shown, and the shortest key that stays secret without them. */
const SHOWN_CHARACTERS = 4;
const MIN_KEY_LENGTH = 8;

/** Formats a key for messages: only its last characters, enough for its owner to recognize it. */
export function formatKeyForLog(apiKey: string): string {
  return `…${apiKey.length < MIN_KEY_LENGTH ? '' : apiKey.slice(-SHOWN_CHARACTERS)}`;
}

const KEY_INFO_PATH = '/v1/api-key-info';
const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 60_000;
const MAX_RESPONSE_BYTES = 16_000_000;

/**
 * Fetches the access of the configured API key (`docs/spec/metadata-api.md#key-info`).
 * @returns an empty list for an expired key.
 * @throws TickhaulError `bad_key` for a wrong key, `unavailable` if the service lacks this call, `bad_answer`.
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
  const fetchInfo = async (callSignal: AbortSignal): Promise<readonly KeyAccess[]> => {
    const [response, { parseKeyInfo }] = await Promise.all([
      sendGet(client, url, headers, callSignal),
      client.requestsStarted().then(() => import('../records/response-schemas.js')),
    ]);
    if (response.status !== 200) throw await readErrorResponse(response, apiKey);
    const body = await readBody(response.body, MAX_RESPONSE_BYTES);
    return parseKeyInfo(parseJsonBody(body.toString()), name);
  };
  const attempt = (): Promise<readonly KeyAccess[]> =>
    withResponseTimeout(name, stallTimeoutMs, signal, fetchInfo);
  return withRetries(attempt, { maxAttempts: tries, maxWaitMs: MAX_WAIT_MS, signal });
}
