import type { AskForSpace } from '../download/plan/report-plan.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import { toRunFailure } from '../events/run-failure.js';
import type { ConfigFile } from '../options/parse-config.js';
import { createServiceClient, type ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { CommandHost } from './command-host.js';
import { loadConfig, toConfigSettings } from './load-config.js';
import {
  readKey,
  readSettings,
  type SettingOptions,
  type Settings,
  warnOfProxySettings,
} from './settings.js';

/** Receives what a run reports. */
export interface RunObserver {
  readonly emit: EventSink;
  /** Receives one line per HTTP request (`--verbose`). */
  readonly note?: ((line: string) => void) | undefined;
  /**
   * Returns a question whether to continue if the disk is too small; without one, the run warns and continues. Call it
   * after the run has read its input, which may be stdin.
   */
  readonly askForSpace?: (() => AskForSpace | undefined) | undefined;
}

/** The options of a command that its context reads. */
export interface ContextOptions extends SettingOptions {
  /** Milliseconds without progress after which a response is aborted; default: one minute. */
  readonly stallTimeoutMs?: number | undefined;
}

/**
 * What an operation has besides its options: the facts of its host, its observer, and what it opens, which is opened
 * once, when it is first asked for, and closed at the end of the run.
 */
export interface Context extends CommandHost, RunObserver {
  /** The config file; undefined if there is none. @throws usage error as `loadConfig` does. */
  config(): Promise<ConfigFile | undefined>;
  /** Settings from flags, environment and config file. @throws usage error. */
  settings(): Promise<Settings>;
  /** A client of the service. @throws usage error for a key that cannot be read or sent. */
  client(): Promise<ServiceClient>;
  /**
   * The download folder, or a folder or `s3://bucket/prefix` in its place.
   * @param stallTimeoutMs in place of that of the options.
   */
  destination(dir?: string, stallTimeoutMs?: number): Promise<Destination>;
  /** Files of this machine and of stores. */
  files(): Promise<Files>;
  /** Settings of stores. */
  store(): Promise<StoreSettings>;
  /** The same if one of the locations is in a store; undefined, without a look at the settings, if all are local. */
  storeOf(locations: readonly (string | undefined)[]): Promise<StoreSettings | undefined>;
  /** Registers what the end of the run closes, in reverse order. */
  defer(close: () => Promise<void>): void;
}

/**
 * What a command does, for the command line and the library: options with all their values parsed, and a context.
 * Options that contradict each other are found before the first request.
 */
export type Operation<Options extends ContextOptions> = (
  options: Options,
  context: Context,
) => Promise<RunSummary>;

/**
 * Runs `work` with a context, and closes what it has opened, whatever ends it.
 * @throws the error of `work`, or else the first one of closing.
 */
export async function withContext<T>(
  options: ContextOptions,
  host: CommandHost,
  observer: RunObserver,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const closers: (() => Promise<void>)[] = [];
  let result: T;
  try {
    result = await work(createContext(options, host, observer, closers));
  } catch (error) {
    // This error says why the run failed.
    await closeAll(closers).catch((other: unknown) =>
      observer.emit({ event: 'warning', message: toRunFailure(other).error.message }),
    );
    throw error;
  }
  await closeAll(closers);
  return result;
}

function createContext(
  options: ContextOptions,
  host: CommandHost,
  { emit, note, askForSpace }: RunObserver,
  closers: (() => Promise<void>)[],
): Context {
  const { signal } = host;
  const config = once(() => loadConfig(options.config, host));
  const settings = once(async () => {
    const file = await config();
    return readSettings(host.env, options, host.home, file && toConfigSettings(file, host.home));
  });
  const store = async (): Promise<StoreSettings> => toStoreSettings(await settings(), options.stallTimeoutMs);
  const defer = (close: () => Promise<void>): void => void closers.push(close);
  const opened = new Map<string, Promise<Destination>>();
  const openDestination = async (dir: string, stallTimeoutMs?: number): Promise<Destination> => {
    const { openDestination: open } = await import('../store/open-destination.js');
    const destination = await open(
      dir,
      { ...(await store()), ...(stallTimeoutMs !== undefined && { stallTimeoutMs }) },
      signal,
    );
    defer(() => destination.close());
    return destination;
  };
  return {
    ...host,
    emit,
    note,
    askForSpace,
    config,
    settings,
    store,
    defer,
    client: once(async () => {
      const client = await openClient(await settings(), options.stallTimeoutMs, host, note);
      defer(() => client.close());
      return client;
    }),
    async destination(dir, stallTimeoutMs) {
      const location = dir ?? (await settings()).downloadDir;
      const destination = opened.get(location) ?? openDestination(location, stallTimeoutMs);
      opened.set(location, destination);
      return destination;
    },
    files: once(async () => {
      const { openFiles } = await import('../store/open-files.js');
      const files = openFiles(await store());
      defer(() => files.close());
      return files;
    }),
    async storeOf(locations) {
      if (!locations.some((location) => location !== undefined && isObjectLocation(location)))
        return undefined;
      warnOfProxySettings(host);
      return store();
    },
  };
}

/** Opens a client, whose user closes it. */
async function openClient(
  { apiUrl, datasetsUrl, allowHttp, keySource, maxAnswerBytes }: Settings,
  stallTimeoutMs: number | undefined,
  host: CommandHost,
  onRequest: RunObserver['note'],
): Promise<ServiceClient> {
  const apiKey = await readKey(keySource, host);
  warnOfProxySettings(host);
  return createServiceClient({
    ...{ apiUrl, datasetsUrl, apiKey, allowHttp, maxAnswerBytes, onRequest },
    stallTimeoutMs: stallTimeoutMs ?? DEFAULT_STALL_MS,
    env: host.env,
  });
}

const DEFAULT_STALL_MS = 60_000;

/** Settings of object stores. @param stallTimeoutMs milliseconds without progress of a request; default: one minute. */
function toStoreSettings({ store }: Settings, stallTimeoutMs = DEFAULT_STALL_MS): StoreSettings {
  return { ...store, stallTimeoutMs };
}

function once<T>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}

/** Closes all in reverse order, also after an error. @throws the first error. */
async function closeAll(closers: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const close of closers.toReversed()) {
    await close().catch((error: unknown) => errors.push(error));
  }
  if (errors.length > 0) throw errors[0];
}

/** The owner recorded in the lock of a download folder. */
export function createLockOwner({ pid, host, commandLine, isAlive }: CommandHost): LockOwner {
  return { pid, host, command: commandLine, now: Date.now(), isAlive };
}
