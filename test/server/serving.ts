import { request } from 'node:http';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { type RunningServer, startServer } from '../../src/server/replay-server.js';
import type { ServeOptions } from '../../src/server/server-context.js';
import { createServiceClient } from '../../src/service/service-client.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { cleanUp } from '../helpers/clean-up.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { sandbox } from '../helpers/sandbox.js';

export interface Served extends RunningServer {
  /** What was warned of. */
  readonly warnings: readonly string[];
  /** The log of requests. */
  readonly log: readonly string[];
}

/** Rows of a day file that make some messages of an exchange a minute. */
const BUSY_ROWS = 20_000;

/** An embedded service with messages in each half an hour of its exchanges' feeds. */
export function busySandbox(t: TestContext, options: SandboxOptions = {}): Promise<Sandbox> {
  return sandbox(t, { rows: BUSY_ROWS, ...options });
}

export interface ServeHere extends Partial<Omit<ServeOptions, 'feeds'>> {
  readonly feeds?: Partial<ServeOptions['feeds']>;
  readonly apiKey?: string | undefined;
  /** Of slices, and of day files. */
  readonly concurrency?: number;
  /** Has addresses of exchanges. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A replay server in this process, on loopback, that ends with the test. @param dir holds all that it keeps. */
export async function serveHere(
  t: TestContext,
  service: Sandbox,
  dir: string,
  { env = {}, concurrency, ...input }: ServeHere = {},
): Promise<Served> {
  const client = createServiceClient({
    apiUrl: service.apiUrl,
    datasetsUrl: service.datasetsUrl,
    apiKey: 'apiKey' in input ? input.apiKey : service.apiKey,
    // The service is in this process, which may be slow.
    stallTimeoutMs: 60_000,
    env,
  });
  const warnings: string[] = [];
  const log: string[] = [];
  const transfer = {
    concurrency: concurrency ?? 'auto',
    retries: 2,
    maxWaitMs: 5000,
    maxRate: undefined,
  } as const;
  const server = await startServer({
    port: 0,
    host: '127.0.0.1',
    allowOrigins: [],
    maxClients: 256,
    isCompressed: false,
    source: 'feeds',
    records: join(dir, 'records'),
    destination: openFolderDestination(join(dir, 'datasets')),
    dayFiles: {
      options: { ...DOWNLOAD_DEFAULTS, ...transfer },
      layout: 'flat',
      owner: () => ({
        pid: process.pid,
        host: 'here',
        command: 'test',
        now: Date.now(),
        isAlive: () => true,
      }),
    },
    log: { warn: (line) => void warnings.push(line), request: (line) => void log.push(line) },
    memory: process.memoryUsage,
    ...input,
    feeds: {
      ...transfer,
      client,
      cacheFolder: join(dir, 'cache'),
      cacheLimit: undefined,
      offline: false,
      ...input.feeds,
    },
  });
  cleanUp(t, async () => {
    await server.close(0);
    await client.close();
  });
  return { ...server, warnings, log };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly text: string;
  /** Whether it came to its end. */
  readonly isWhole: boolean;
}

export interface Asking {
  readonly method?: string;
  /** Address of loopback; 127.0.0.1 by default. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Asks a server on loopback, to the end of its answer. @param path as it is sent. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', headers = {}, host = '127.0.0.1' }: Asking = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      const done = (): void => {
        const body = Buffer.concat(chunks);
        const { statusCode: status = 0, headers, complete: isWhole } = response;
        resolve({ status, headers, body, text: body.toString(), isWhole });
      };
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', done);
      response.on('end', done);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The address of an endpoint with options, as most clients write it. */
export function withOptions(path: string, options: unknown): string {
  return `${path}?options=${encodeURIComponent(JSON.stringify(options))}`;
}
