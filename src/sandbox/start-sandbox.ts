import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usageError } from '../base/errors.js';
import { msToDay } from '../day-files/day.js';
import { openRecordedArchive } from './archive/recorded-archive.js';
import { type Archive, createSyntheticArchive } from './archive/synthetic-archive.js';
import { openSliceFolder } from './feed-lines/slice-folder.js';
import { createAccountRoutes } from './hosts/account-api-host.js';
import { createApiHost } from './hosts/api-host.js';
import { createFullAccess, SANDBOX_KEY } from './hosts/authorization.js';
import { createDatasetHost, createSignedObjectHost, type SignedObjectHost } from './hosts/dataset-host.js';
import { createFeedRoute } from './hosts/feeds-host.js';
import {
  type CallSettings,
  type Listener,
  listenOnLoopback,
  type SandboxHandler,
} from './hosts/sandbox-call.js';
import { DATA_FAULTS, FAULT_KINDS, FaultChooser, selectShares } from './hosts/sandbox-faults.js';
import { createSandboxIssuer } from './issuer/sandbox-issuer.js';
import type { Sandbox, SandboxOptions, SandboxRequest } from './sandbox-options.js';

const EXPORT_TIME_MS = 6 * 3_600_000;
const MAX_LOGGED_REQUESTS = 10_000;
/** Rows of each synthetic day file. */
const DEFAULT_ROWS = 2000;

/**
 * Starts the embedded service: metadata host with the account API, dataset host, identity issuer and, with `redirect`,
 * the object store that the dataset host redirects to.
 * @throws usage error for a port that cannot be used, a replay folder that cannot be read or has no day file, or a fault
 * of the data of a replay folder.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const closing = new AbortController();
  // Each response in progress adds a listener.
  setMaxListeners(0, closing.signal);
  const scratch = await mkdtemp(join(tmpdir(), 'tickhaul-sandbox-'));
  const listeners: Listener[] = [];
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing.abort();
    closed ??= closeAll(listeners, scratch);
    return closed;
  };
  try {
    const requests: SandboxRequest[] = [];
    const settings = callSettings(options, closing.signal, requests);
    const open = async (
      host: SandboxRequest['host'],
      offset: number,
      handler: SandboxHandler,
    ): Promise<string> => {
      const listener = await listenOnLoopback(
        host,
        options.port ? options.port + offset : 0,
        handler,
        settings,
      );
      listeners.push(listener);
      return listener.origin;
    };
    const {
      rows = DEFAULT_ROWS,
      seed = 1,
      retryAfterSeconds = 1,
      keyAccess,
      feeds = {},
      replayDir,
    } = options;
    const folder = replayDir === undefined ? undefined : await openSliceFolder(replayDir);
    const archive = await openArchive(options, folder?.exchanges ?? [], scratch, closing.signal);
    const responseFaults = selectShares(options.faults ?? {}, FAULT_KINDS);
    const faults = new FaultChooser(responseFaults, seed, options.faultsPerFile ?? Infinity);
    const issuer = createSandboxIssuer({
      options: options.issuer ?? {},
      seed,
      retryAfterSeconds,
      isResource: (uri) => isSameService(uri, apiUrl),
    });
    let issuerUrl = '';
    const keyInfo = options.noKeyInfo ? undefined : (keyAccess ?? createFullAccess(archive.exchanges));
    // A folder of recorded data has no simulation from which feeds could be generated.
    const feedExchanges = replayDir === undefined ? archive.exchanges : [];
    const feedOptions = { exchanges: feedExchanges, rows, seed, retryAfterSeconds, feeds, keyAccess, folder };
    const routes = [
      ...createAccountRoutes({ issuer, issuerUrl: () => issuerUrl, keyInfo }),
      createFeedRoute(feedOptions),
    ];
    const apiUrl = await open(
      'api',
      0,
      createApiHost({ exchanges: archive.exchanges, seed, faults, routes }),
    );
    const store = options.redirect ? createSignedObjectHost() : undefined;
    const storeUrl = store && (await open('objects', 2, store.handle));
    const sign =
      store && ((...object: Parameters<SignedObjectHost['sign']>) => storeUrl + store.sign(...object));
    const datasets = createDatasetHost({ archive, faults, keyAccess, retryAfterSeconds, sign });
    const datasetsUrl = await open('datasets', 1, datasets);
    issuerUrl = await open('issuer', 3, issuer.handle);
    const { control } = issuer;
    return { apiUrl, datasetsUrl, issuerUrl, apiKey: SANDBOX_KEY, issuer: control, requests, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function closeAll(listeners: readonly Listener[], scratch: string): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.close()));
  await rm(scratch, { recursive: true, force: true });
}

function callSettings(
  options: SandboxOptions,
  signal: AbortSignal,
  requests: SandboxRequest[],
): CallSettings {
  return {
    latencyMs: options.latencyMs ?? 0,
    rate: options.rate ?? Infinity,
    signal,
    log: (request) => {
      requests.push(request);
      if (requests.length > MAX_LOGGED_REQUESTS) requests.splice(0, MAX_LOGGED_REQUESTS / 2);
      options.onRequest?.(request);
    },
  };
}

function openArchive(
  options: SandboxOptions,
  feedExchanges: readonly string[],
  scratch: string,
  signal: AbortSignal,
): Promise<Archive> | Archive {
  const { rows = DEFAULT_ROWS, seed = 1, exportedUntil, replayDir } = options;
  const faults = selectShares(options.faults ?? {}, DATA_FAULTS);
  if (replayDir !== undefined) {
    const [fault] = Object.keys(faults);
    if (fault !== undefined)
      throw usageError(`fault "${fault}" applies to generated day files only; leave out --replay-dir`);
    return openRecordedArchive({ folder: replayDir, feedExchanges, exportedUntil, scratch, signal });
  }
  // A day is available from 06:00 UTC of the next day on (`docs/spec/metadata-api.md#export-status`).
  const until = exportedUntil ?? msToDay(Date.now() - EXPORT_TIME_MS);
  return createSyntheticArchive({ rows, seed, faults, exportedUntil: until, scratch, signal });
}

/** Whether an address has the same port of this machine as the origin. */
function isSameService(address: string, origin: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port } = new URL(address);
  return (
    protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && port === new URL(origin).port
  );
}
