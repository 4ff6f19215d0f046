import { AsyncLocalStorage } from 'node:async_hooks';
import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import type { S3Client } from '@aws-sdk/client-s3';
import { within } from '../../base/wait.js';
import { endProgram } from './end-program.js';
import { noCredentials, silentCredentials } from './errors.js';

type Credentials = Awaited<ReturnType<S3Client['config']['credentials']>>;

/** The credentials of one connection, from the SDK's chain. */
export interface CredentialSource {
  /** @throws TickhaulError `store_refused` where there are none, `store_down` where their source is silent. */
  load(): Promise<Credentials>;
  /** Ends the programs and requests that are still under way for them. */
  close(): void;
}

/** What the SDK has started in order to load credentials, by what ends it, with its name for messages. */
interface Loads {
  readonly underWay: Map<() => void, string>;
  /** Set when the time is over: what the chain starts after that ends at once. */
  isOver: boolean;
}

const LOADS = new AsyncLocalStorage<Loads>();

/** The SDK waits for a program (`credential_process`) and for some hosts without a limit, and offers no way to abort. */
let isWatching = false;

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  subscribe('child_process', (message) => {
    const { process: child } = message as { readonly process: ChildProcess };
    add(child, () => endProgram(child), "the profile's credential_process");
  });
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { readonly request: ClientRequest };
    add(request, () => request.destroy(), request.host);
  });
}

function add(started: ChildProcess | ClientRequest, end: () => void, name: string): void {
  const loads = LOADS.getStore();
  if (!loads) return;
  if (loads.isOver) {
    end();
    return;
  }
  loads.underWay.set(end, name);
  started.once('close', () => loads.underWay.delete(end));
}

/** @param timeoutMs milliseconds that a load may take, from whatever source. */
export function openCredentials(provider: () => Promise<Credentials>, timeoutMs: number): CredentialSource {
  watch();
  const loads: Loads = { underWay: new Map(), isOver: false };
  let isClosed = false;
  let loading: Promise<Credentials> | undefined;
  const endLoads = (): void => {
    loads.isOver = true;
    for (const end of loads.underWay.keys()) end();
  };
  const loadOnce = async (): Promise<Credentials> => {
    loads.isOver = isClosed;
    const asked = LOADS.run(loads, provider).catch((error: unknown) => {
      throw noCredentials(error);
    });
    const found = await within(asked, timeoutMs);
    if (found) return found;
    const [source = 'their source'] = loads.underWay.values();
    endLoads();
    throw silentCredentials(source, timeoutMs);
  };
  return {
    load() {
      // Requests begin side by side, and the SDK asks the source once for all of them.
      loading ??= loadOnce().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    close() {
      isClosed = true;
      endLoads();
    },
  };
}
