import type { Destination } from '../store/destination.js';
import type { StoreSettings } from '../store/files.js';
import { isObject } from '../store/location.js';
import type { Args } from './arguments/args.js';
import { loadSettings } from './config/file.js';
import type { Settings } from './environment.js';
import type { Host } from './host.js';
import { readStallTimeout } from './selection/selection.js';

/** How object stores are reached. @param stallTimeoutMs milliseconds without progress of a request; a minute by default. */
export function storeSettings({ store }: Settings, stallTimeoutMs = 60_000): StoreSettings {
  return { ...store, stallTimeoutMs };
}

export interface ReachOptions {
  /** Milliseconds without progress of a request to a store. */
  readonly stallTimeoutMs?: number | undefined;
  /** Ends what is asked before the work. */
  readonly signal: AbortSignal;
}

/** How the stores of some locations are reached; undefined where none of them lies in one. @throws usage error. */
export async function storeOf(
  args: Args,
  host: Host,
  locations: readonly (string | undefined)[],
): Promise<StoreSettings | undefined> {
  if (!locations.some((location) => location !== undefined && isObject(location))) return undefined;
  return storeSettings(await loadSettings(args, host), readStallTimeout(args));
}

/** Does some work with the download folder, or the store in its place, which is closed whatever happens. */
export async function withDestination<T>(
  settings: Settings,
  { stallTimeoutMs, signal }: ReachOptions,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  const store = storeSettings(settings, stallTimeoutMs);
  const { openDestination } = await import('../store/open-destination.js');
  const destination = await openDestination(settings.downloadDir, store, signal);
  try {
    return await work(destination);
  } finally {
    await destination.close();
  }
}
