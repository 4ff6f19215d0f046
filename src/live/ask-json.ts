import { TickhaulError, usageError } from '../base/errors.js';
import { withRetries } from '../base/retry.js';
import { discardBody, readBody } from '../http/body-watch.js';
import type { Client } from '../service/http/client.js';
import { send } from '../service/http/http.js';
import { refusalOf } from './ended.js';

const TRIES = 4;
const MAX_WAIT_MS = 120_000;

/**
 * What an exchange answers to a request of its public API; nothing secret is sent.
 * @throws TickhaulError `rate_limited`, `no_access`, `rejected`, `bad_answer`, and as for any request.
 */
export function askJson(
  client: Client,
  { method, url }: { readonly method: 'GET' | 'POST'; readonly url: string },
  signal: AbortSignal,
): Promise<unknown> {
  if (!URL.canParse(url)) throw usageError(`"${url}" is not a URL`);
  const headers = { accept: 'application/json' };
  const askOnce = async (): Promise<unknown> => {
    const answer = await send(client, { method, url: new URL(url), headers }, signal);
    if (answer.status !== 200) {
      await discardBody(answer.body);
      throw refusalOf(answer.name, answer.status, answer.headers);
    }
    const text = (await readBody(answer.body)).toString();
    try {
      return JSON.parse(text);
    } catch (cause) {
      throw new TickhaulError('bad_answer', `${answer.name}: expected JSON`, { cause });
    }
  };
  return withRetries(askOnce, { tries: TRIES, maxWaitMs: MAX_WAIT_MS, signal });
}
