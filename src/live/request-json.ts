import { TickhaulError, usageError } from '../base/errors.js';
import { withRetries } from '../base/with-retries.js';
import { discardBody, readBody } from '../http/watched-body.js';
import { sendRequest } from '../service/send-request.js';
import type { ServiceClient } from '../service/service-client.js';
import { createHandshakeError } from './connection-errors.js';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 120_000;

/**
 * Requests JSON from an exchange's public API, with retries; sends no secrets.
 * @throws TickhaulError `rate_limited`, `no_access`, `rejected`, `bad_answer`, and as for any request.
 */
export function requestJson(
  client: ServiceClient,
  { method, url }: { readonly method: 'GET' | 'POST'; readonly url: string },
  signal: AbortSignal,
): Promise<unknown> {
  if (!URL.canParse(url)) throw usageError(`"${url}" is not a URL`);
  const headers = { accept: 'application/json' };
  const attempt = async (): Promise<unknown> => {
    const response = await sendRequest(client, { method, url: new URL(url), headers }, signal);
    if (response.status !== 200) {
      await discardBody(response.body);
      throw createHandshakeError(response.name, response.status, response.headers);
    }
    const text = (await readBody(response.body)).toString();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new TickhaulError('bad_answer', `${response.name}: expected JSON`, { cause });
    }
  };
  return withRetries(attempt, { maxAttempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
}
