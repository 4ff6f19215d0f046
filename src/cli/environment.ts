import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isSystemError, usageError } from '../errors.js';
import { readText } from './read.js';
import type { Args } from './types.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the API key comes from; `-` as a file is stdin. */
export type KeySource =
  | { readonly from: 'value'; readonly name: string; readonly text: string }
  | { readonly from: 'file'; readonly name: string; readonly path: string };

/** What flags and environment say of the service and of folders: flag over environment over default. */
export interface Settings {
  /** Without a slash at the end. */
  readonly apiUrl: string;
  readonly datasetsUrl: string;
  readonly keySource: KeySource | undefined;
  readonly downloadDir: string;
  readonly cacheDir: string;
}

/**
 * Reads the environment and the flags that stand over it (contract, Configuration).
 * @param home the user's home folder.
 * @throws usage error for an address that is not http or https.
 */
export function readSettings(env: Env, args: Args, home: string): Settings {
  return {
    apiUrl: address(env, args, 'api-url', 'TICKHAUL_API_URL') ?? 'https://api.tardis.dev',
    datasetsUrl: address(env, args, 'datasets-url', 'TICKHAUL_DATASETS_URL') ?? 'https://datasets.tardis.dev',
    keySource: keySource(env, args),
    downloadDir: readText(args, 'dir') ?? given(env, 'TICKHAUL_DIR') ?? 'datasets',
    cacheDir: join(given(env, 'XDG_CACHE_HOME') ?? join(home, '.cache'), 'tickhaul'),
  };
}

/**
 * The API key itself, without the white space and line breaks around it.
 * @throws usage error, which never holds the key, for a missing file, an empty key or one with a break inside.
 */
export async function readKey(source: KeySource | undefined, stdin: Readable): Promise<string | undefined> {
  if (source === undefined) return undefined;
  const key = (source.from === 'value' ? source.text : await readKeyFile(source, stdin)).trim();
  if (key === '') throw usageError(`${source.name}: the API key is empty`);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw usageError(
      `${source.name}: the API key holds white space or characters that no key has; it must be one word`,
    );
  }
  return key;
}

async function readKeyFile(source: KeySource & { readonly from: 'file' }, stdin: Readable): Promise<string> {
  if (source.path === '-') return text(stdin);
  try {
    return await readFile(source.path, 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw usageError(`${source.name}: cannot read the API key file "${source.path}" (${error.code})`);
  }
}

function keySource(env: Env, args: Args): KeySource | undefined {
  const file = readText(args, 'api-key-file');
  if (file !== undefined) return { from: 'file', name: '--api-key-file', path: file };
  return (
    keyValue(env, 'TICKHAUL_API_KEY') ??
    keyFile(env, 'TICKHAUL_API_KEY_FILE') ??
    keyValue(env, 'TARDIS_API_KEY') ??
    keyValue(env, 'TM_API_KEY')
  );
}

function keyValue(env: Env, name: string): KeySource | undefined {
  const value = given(env, name);
  return value === undefined ? undefined : { from: 'value', name, text: value };
}

function keyFile(env: Env, name: string): KeySource | undefined {
  const path = given(env, name);
  return path === undefined ? undefined : { from: 'file', name, path };
}

function address(env: Env, args: Args, flag: string, variable: string): string | undefined {
  const fromFlag = readText(args, flag);
  const text = fromFlag ?? given(env, variable);
  if (text === undefined) return undefined;
  const name = fromFlag === undefined ? variable : `--${flag}`;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usageError(
      `${name}: "${text.replace(/\/\/.*@/, '//…@')}" is not an address; write it as https://host or http://host:port`,
    );
  }
  const { username, password } = new URL(text);
  // It would end in logs and in the lock file; a proxy's password has its place in HTTPS_PROXY.
  if (username !== '' || password !== '')
    throw usageError(`${name}: an address with a user or password in it is not taken`);
  return text.replace(/\/+$/, '');
}

/** A variable's value; an empty one counts as not set. */
function given(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
