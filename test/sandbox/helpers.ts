import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { parseDay } from '../../src/day-files/day.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { startSandbox } from '../../src/sandbox/start-sandbox.js';
import { cleanUp } from '../helpers/clean-up.js';

export const KEY = { authorization: 'Bearer sandbox-key' };

/** A small service that closes with the test; exported up to 2024-03-10. */
export async function sandboxFor(t: TestContext, options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({ rows: 200, exportedUntil: parseDay('2024-03-10'), ...options });
  cleanUp(t, () => sandbox.close());
  return sandbox;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Code of the error that ended the body early. */
  readonly broken: string | undefined;
}

/** Sends a request over its own connection; redirects are not followed, bodies are not decoded. */
export async function get(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  { method = 'GET', bodyTimeout = 30_000 }: { method?: 'GET' | 'HEAD' | 'POST'; bodyTimeout?: number } = {},
): Promise<Answer> {
  const dispatcher = new Agent({ bodyTimeout });
  try {
    const answer = await request(url, { method, headers, dispatcher });
    const chunks: Buffer[] = [];
    let broken: string | undefined;
    try {
      for await (const chunk of answer.body) chunks.push(chunk);
    } catch (error) {
      broken = (error as NodeJS.ErrnoException).code ?? 'unknown';
    }
    return { status: answer.statusCode, headers: answer.headers, body: Buffer.concat(chunks), broken };
  } finally {
    await dispatcher.destroy();
  }
}

export async function getJson<T>(url: string, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  return JSON.parse((await get(url, headers)).body.toString()) as T;
}

/** The address of a day file; the day is written `2024/03/01`. */
export function fileUrl(
  sandbox: Sandbox,
  exchange: string,
  dataType: string,
  day: string,
  symbol: string,
): string {
  return `${sandbox.datasetsUrl}/v1/${exchange}/${dataType}/${day}/${encodeURIComponent(symbol)}.csv.gz`;
}

/** The cells of a gzip CSV, header first. */
export function parseCells(body: Buffer): string[][] {
  const text = gunzipSync(body).toString();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
}
