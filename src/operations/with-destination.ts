import type { Destination } from '../store/destination.js';
import type { StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import type { CommandArgs } from './arguments/command-args.js';
import type { CommandHost } from './command-host.js';
import { loadSettings } from './config/load-config.js';
import { toStoreSettings } from './context.js';
import { readStallTimeout } from './selection/read-selection.js';
import { type Settings, warnOfProxySettings } from './settings.js';

export { toStoreSettings };

export interface DestinationOptions {
  /** Milliseconds without progress of a request to a store. */
  readonly stallTimeoutMs?: number | undefined;
  /** Aborts requests that are sent before `work`. */
  readonly signal: AbortSignal;
}

/** Store settings for the given locations; undefined if all are local. @throws usage error. */
export async function readStoreSettings(
  args: CommandArgs,
  host: CommandHost,
  locations: readonly (string | undefined)[],
): Promise<StoreSettings | undefined> {
  if (!locations.some((location) => location !== undefined && isObjectLocation(location))) return undefined;
  warnOfProxySettings(host);
  return toStoreSettings(await loadSettings(args, host), readStallTimeout(args));
}

/** Runs `work` with the download folder or object store, and always closes it. */
export async function withDestination<T>(
  settings: Settings,
  { stallTimeoutMs, signal }: DestinationOptions,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  const store = toStoreSettings(settings, stallTimeoutMs);
  const { openDestination } = await import('../store/open-destination.js');
  const destination = await openDestination(settings.downloadDir, store, signal);
  try {
    return await work(destination);
  } finally {
    await destination.close();
  }
}
