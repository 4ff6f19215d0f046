import type { Destination } from '../store/destination.js';
import type { StoreSettings } from '../store/files.js';
import { openDestination } from '../store/open-destination.js';
import type { Settings } from './environment.js';

/** How object stores are reached. @param stallTimeoutMs milliseconds without progress of a request; a minute by default. */
export function storeSettings(_settings: Settings, stallTimeoutMs = 60_000): StoreSettings {
  return { stallTimeoutMs };
}

/** Does some work with the download folder, or the store in its place, which is closed whatever happens. */
export async function withDestination<T>(
  settings: Settings,
  stallTimeoutMs: number | undefined,
  work: (destination: Destination) => Promise<T>,
): Promise<T> {
  const destination = await openDestination(settings.downloadDir, storeSettings(settings, stallTimeoutMs));
  try {
    return await work(destination);
  } finally {
    await destination.close();
  }
}
