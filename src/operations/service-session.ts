import type { ServiceClient } from '../service/service-client.js';
import type { CommandArgs } from './arguments/command-args.js';
import type { CommandHost } from './command-host.js';
import { loadSettings } from './config/load-config.js';
import { openClient } from './context.js';
import type { Settings } from './settings.js';

/** A client of the service, and the settings it was created from. */
export interface ServiceSession {
  readonly client: ServiceClient;
  readonly settings: Settings;
}

export interface SessionOptions {
  /** Milliseconds without progress after which a response is aborted. */
  readonly stallTimeoutMs?: number | undefined;
  /** Settings, if they are already loaded. */
  readonly settings?: Settings | undefined;
  /** Receives one line per HTTP request. */
  readonly note?: ((line: string) => void) | undefined;
}

/** Runs `work` with a client, and always closes it. */
export async function withServiceSession<T>(
  args: CommandArgs,
  host: CommandHost,
  options: SessionOptions,
  work: (session: ServiceSession) => Promise<T>,
): Promise<T> {
  const settings = options.settings ?? (await loadSettings(args, host));
  const client = await openClient(settings, options.stallTimeoutMs, host, options.note);
  try {
    return await work({ client, settings });
  } finally {
    await client.close();
  }
}
