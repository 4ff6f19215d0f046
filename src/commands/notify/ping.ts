import { startDeadline } from '../../base/deadline.js';
import { TickhaulError, usageError } from '../../base/errors.js';
import { withRetries } from '../../base/with-retries.js';
import { discardBody } from '../../http/watched-body.js';
import { sendGet } from '../../service/http/send-request.js';
import { createServiceClient } from '../../service/http/service-client.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';

export type PingState = 'start' | 'success' | 'fail';

/** A dead man's switch: an address that expects to be asked now and then. */
export interface Ping {
  /**
   * @param signal ends it early.
   * @throws TickhaulError that names the host only: the path may be a secret.
   */
  send(state: PingState, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const SUFFIX: Readonly<Record<PingState, string>> = { start: '/start', success: '', fail: '/fail' };
/** Milliseconds for all tries of one ping. */
const PATIENCE_MS = 10_000;
const TRIES = 3;

/** The address of `--ping`; undefined where it wasn't given. @throws usage error, without the address. */
export function readPing(args: CommandArgs): URL | undefined {
  const address = readTextFlag(args, 'ping');
  if (address === undefined) return undefined;
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw usageError('--ping is not an address; write it as https://host/path');
  }
  return new URL(address);
}

export function openPing(base: URL, { env }: Pick<CommandHost, 'env'>): Ping {
  // No log of requests: the address would stand in it.
  const client = createServiceClient({
    apiUrl: base.origin,
    datasetsUrl: base.origin,
    stallTimeoutMs: PATIENCE_MS,
    env,
  });
  const ask = async (url: URL, signal: AbortSignal): Promise<void> => {
    const { status, body } = await sendGet(client, url.href, {}, signal);
    await discardBody(body);
    if (status >= 500) throw new TickhaulError('server_error', `HTTP ${status}`, { status });
    if (status >= 400) throw new TickhaulError('rejected', `HTTP ${status}`, { status });
  };
  return {
    async send(state, ended) {
      const url = new URL(base);
      url.pathname = url.pathname.replace(/\/*$/, '') + SUFFIX[state];
      const deadline = startDeadline(PATIENCE_MS, new TickhaulError('stalled', 'no answer in time'));
      const signal = AbortSignal.any([deadline.signal, ended]);
      try {
        await withRetries(() => ask(url, signal), { maxAttempts: TRIES, maxWaitMs: PATIENCE_MS, signal });
      } catch (error) {
        if (!(error instanceof TickhaulError)) throw error;
        const what = error.status === undefined ? error.code : `HTTP ${error.status}`;
        throw new TickhaulError(error.code, `ping to ${base.host} failed: ${what}`, { cause: error });
      } finally {
        deadline.clear();
      }
    },
    close: () => client.close(),
  };
}
