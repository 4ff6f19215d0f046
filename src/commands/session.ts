import { type Client, createClient } from '../service/http/client.js';
import type { Args } from './arguments/args.js';
import { loadSettings } from './config/file.js';
import { readKey, type Settings } from './environment.js';
import type { Host } from './host.js';

/** A client of the service, with the settings it was made from. */
export interface Session {
  readonly client: Client;
  readonly settings: Settings;
}

export interface SessionOptions {
  /** Milliseconds without a byte after which an answer is broken off. */
  readonly stallTimeoutMs?: number | undefined;
  /** Where they are known already. */
  readonly settings?: Settings | undefined;
  /** Takes a line for each request. */
  readonly note?: ((line: string) => void) | undefined;
}

/** Does some work with a client that is closed whatever happens. */
export async function withSession<T>(
  args: Args,
  host: Host,
  options: SessionOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const settings = options.settings ?? (await loadSettings(args, host));
  const apiKey = await readKey(settings.keySource, host.stdin, host.signal);
  const client = createClient({
    apiUrl: settings.apiUrl,
    datasetsUrl: settings.datasetsUrl,
    apiKey,
    stallTimeoutMs: options.stallTimeoutMs ?? 60_000,
    maxAnswerBytes: settings.maxAnswerBytes,
    env: host.env,
    onRequest: options.note,
  });
  try {
    return await work({ client, settings });
  } finally {
    await client.close();
  }
}
