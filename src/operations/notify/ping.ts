import { TickhaulError, usageError } from '../../base/errors.js';
import { startDeadline } from '../../base/wait.js';
import { withRetries } from '../../base/with-retries.js';
import { isTemporaryFailure } from '../../http/failed-response.js';
import { discardBody } from '../../http/watched-body.js';
import { sendGet } from '../../service/send-request.js';
import { createServiceClient } from '../../service/service-client.js';
import type { CommandHost } from '../command-host.js';

export type PingState = 'start' | 'success' | 'fail';

/** A dead man's switch: a URL that expects regular requests. */
export interface Ping {
  /**
   * @param signal aborts the request.
   * @throws TickhaulError that names the host only: the path may be a secret.
   */
  send(state: PingState, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const PATH_SUFFIX: Readonly<Record<PingState, string>> = { start: '/start', success: '', fail: '/fail' };
/** Milliseconds for all attempts of one ping. */
const PING_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;

/** The URL of `--ping`. @throws usage error, without the URL. */
export function parsePing(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw usageError('--ping is not an address; use the form https://host/path');
  }
  return new URL(address);
}

export function openPing(base: URL, { env }: Pick<CommandHost, 'env'>): Ping {
  // No onRequest: a log of requests would contain the URL.
  const client = createServiceClient({
    apiUrl: base.origin,
    datasetsUrl: base.origin,
    stallTimeoutMs: PING_TIMEOUT_MS,
    env,
  });
  const sendOnce = async (url: URL, signal: AbortSignal): Promise<void> => {
    const { status, body } = await sendGet(client, url.href, {}, signal);
    await discardBody(body);
    if (isTemporaryFailure(status)) throw new TickhaulError('server_error', `HTTP ${status}`, { status });
    if (status >= 400) throw new TickhaulError('rejected', `HTTP ${status}`, { status });
  };
  return {
    async send(state, callerSignal) {
      const url = new URL(base);
      url.pathname = url.pathname.replace(/\/*$/, '') + PATH_SUFFIX[state];
      const deadline = startDeadline(PING_TIMEOUT_MS, new TickhaulError('stalled', 'no answer in time'));
      const signal = AbortSignal.any([deadline.signal, callerSignal]);
      try {
        await withRetries(() => sendOnce(url, signal), {
          maxAttempts: MAX_ATTEMPTS,
          maxWaitMs: PING_TIMEOUT_MS,
          signal,
        });
      } catch (error) {
        if (!(error instanceof TickhaulError)) throw error;
        const cause = error.status === undefined ? error.code : `HTTP ${error.status}`;
        throw new TickhaulError(error.code, `ping to ${base.host} failed: ${cause}`, { cause: error });
      } finally {
        deadline.clear();
      }
    },
    close: () => client.close(),
  };
}
