import { TickhaulError, usageError } from '../../errors.js';
import { discardBody } from '../../service/body-watch.js';
import { createClient } from '../../service/client.js';
import { get } from '../../service/http.js';
import { withRetries } from '../../service/retry.js';
import type { Cli } from '../types.js';

export type PingState = 'start' | 'success' | 'fail';

/** A dead man's switch: an address that expects to be asked now and then. */
export interface Ping {
  /** @throws TickhaulError that names the host only: the path may be a secret. */
  send(state: PingState): Promise<void>;
  close(): Promise<void>;
}

const SUFFIX: Readonly<Record<PingState, string>> = { start: '/start', success: '', fail: '/fail' };
const PATIENCE_MS = 10_000;
const TRIES = 3;

/** @param name the flag or setting that the address comes from. @throws usage error, without the address. */
export function openPing(address: string, name: string, { env }: Pick<Cli, 'env'>): Ping {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw usageError(`${name} is not an address; write it as https://host/path`);
  }
  const base = new URL(address);
  // No log of requests: the address would stand in it.
  const client = createClient({
    apiUrl: base.origin,
    datasetsUrl: base.origin,
    stallTimeoutMs: PATIENCE_MS,
    env,
  });
  const ask = async (url: URL): Promise<void> => {
    const { status, body } = await get(client, url.href, {}, AbortSignal.timeout(PATIENCE_MS));
    await discardBody(body);
    if (status >= 500) throw new TickhaulError('server_error', `HTTP ${status}`, { status });
    if (status >= 400) throw new TickhaulError('rejected', `HTTP ${status}`, { status });
  };
  return {
    async send(state) {
      const url = new URL(base);
      url.pathname = url.pathname.replace(/\/*$/, '') + SUFFIX[state];
      try {
        await withRetries(() => ask(url), { tries: TRIES, maxWaitMs: PATIENCE_MS });
      } catch (error) {
        if (!(error instanceof TickhaulError)) throw error;
        const what = error.status === undefined ? error.code : `HTTP ${error.status}`;
        throw new TickhaulError(error.code, `${name} to ${base.host} failed: ${what}`, { cause: error });
      }
    },
    close: () => client.close(),
  };
}
