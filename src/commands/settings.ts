import { isAbsolute, join } from 'node:path';
import type { Readable } from 'node:stream';
import { TickhaulError, usageError } from '../base/errors.js';
import { parseSize } from '../base/units.js';
import type { StoreSettings } from '../store/files.js';
import type { CommandArgs } from './arguments/command-args.js';
import { parseLocationArgument, readBooleanFlag, readTextFlag } from './arguments/read-arguments.js';
import { MAX_TEXT_BYTES, readStdin, readUserFile } from './read-user-file.js';

/** Variables that hold an API key. */
export const KEY_VARIABLES = ['TICKHAUL_API_KEY', 'TARDIS_API_KEY', 'TM_API_KEY'] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** The environment of a command that is not to have the user's API key. */
export function withoutKeys(env: Env): Env {
  const kept = { ...env };
  for (const name of KEY_VARIABLES) delete kept[name];
  return kept;
}

/** Where the API key comes from; `-` as a file is stdin. */
export type KeySource =
  | { readonly from: 'value'; readonly name: string; readonly text: string }
  | { readonly from: 'file'; readonly name: string; readonly path: string };

/** What a config file says of the same; paths are absolute, addresses as they stand there. */
export interface ConfigSettings {
  /** File and line of a setting, for messages. */
  readonly place: (key: string) => string;
  readonly apiUrl?: string | undefined;
  readonly datasetsUrl?: string | undefined;
  readonly authUrl?: string | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly dir?: string | undefined;
  readonly s3Endpoint?: string | undefined;
  readonly s3Region?: string | undefined;
  readonly s3PathStyle?: boolean | undefined;
}

/** What flags, environment and config file say of the service and of folders, in this order; else the default. */
export interface Settings {
  /** Without a slash at the end. */
  readonly apiUrl: string;
  readonly datasetsUrl: string;
  /** The identity issuer; undefined for the one that the API host names. */
  readonly authUrl: string | undefined;
  readonly keySource: KeySource | undefined;
  /** A folder of this machine, or `s3://bucket/prefix`. */
  readonly downloadDir: string;
  readonly store: Omit<StoreSettings, 'stallTimeoutMs'>;
  /** Bytes; undefined for the default. */
  readonly maxAnswerBytes: number | undefined;
  readonly cacheDir: string;
  /** The user's own folder for configuration; nothing may be there yet. */
  readonly configDir: string;
}

/**
 * Reads the environment, the flags that stand over it and the config file below it (contract, Configuration).
 * @param home the user's home folder.
 * @throws usage error for an address that is not http or https.
 */
export function readSettings(env: Env, args: CommandArgs, home: string, config?: ConfigSettings): Settings {
  return {
    apiUrl: address(env, args, config, 'apiUrl') ?? 'https://api.tardis.dev',
    datasetsUrl: address(env, args, config, 'datasetsUrl') ?? 'https://datasets.tardis.dev',
    authUrl: address(env, args, config, 'authUrl'),
    keySource: keySource(env, args, config),
    downloadDir: downloadDir(env, args, config),
    store: readStore(env, args, config),
    maxAnswerBytes: sizeOf(env, 'TICKHAUL_MAX_ANSWER'),
    cacheDir: join(readXdgFolder(env, 'XDG_CACHE_HOME') ?? join(home, '.cache'), 'tickhaul'),
    configDir: join(readXdgFolder(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'tickhaul'),
  };
}

/**
 * The API key itself, without the white space and line breaks around it.
 * @throws usage error, which never holds the key, for a missing file, an empty key or one with a break inside;
 * the reason of an abort while stdin is waited for.
 */
export async function readKey(
  source: KeySource | undefined,
  stdin: Readable | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (source === undefined) return undefined;
  const key = (source.from === 'value' ? source.text : await readKeyFile(source, stdin, signal)).trim();
  if (key === '') throw usageError(`${source.name}: the API key is empty`);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw usageError(
      `${source.name}: the API key holds a blank, a line break or a character that no key has; copy it again`,
    );
  }
  return key;
}

async function readKeyFile(
  source: KeySource & { readonly from: 'file' },
  stdin: Readable | undefined,
  signal: AbortSignal,
): Promise<string> {
  const { name, path } = source;
  if (path === '-') return readStdin(stdin, name, signal);
  return readUserFile({ name, what: 'the API key file', path }, MAX_TEXT_BYTES.key, signal);
}

function keySource(env: Env, args: CommandArgs, config: ConfigSettings | undefined): KeySource | undefined {
  // The library's: no flag is called so.
  const key = readTextFlag(args, 'api-key');
  if (key !== undefined) return { from: 'value', name: '--api-key', text: key };
  const file = readTextFlag(args, 'api-key-file');
  if (file !== undefined) return { from: 'file', name: '--api-key-file', path: file };
  return (
    keyValue(env, 'TICKHAUL_API_KEY') ??
    keyFile(env, 'TICKHAUL_API_KEY_FILE') ??
    keyValue(env, 'TARDIS_API_KEY') ??
    keyValue(env, 'TM_API_KEY') ??
    (config?.apiKeyFile === undefined
      ? undefined
      : { from: 'file', name: `${config.place('apiKeyFile')}: apiKeyFile`, path: config.apiKeyFile })
  );
}

function keyValue(env: Env, name: string): KeySource | undefined {
  const value = readVariable(env, name);
  return value === undefined ? undefined : { from: 'value', name, text: value };
}

function keyFile(env: Env, name: string): KeySource | undefined {
  const path = readVariable(env, name);
  return path === undefined ? undefined : { from: 'file', name, path };
}

const ADDRESSES = {
  apiUrl: { flag: 'api-url', variable: 'TICKHAUL_API_URL' },
  datasetsUrl: { flag: 'datasets-url', variable: 'TICKHAUL_DATASETS_URL' },
  authUrl: { flag: 'auth-url', variable: 'TICKHAUL_AUTH_URL' },
} as const;

function address(
  env: Env,
  args: CommandArgs,
  config: ConfigSettings | undefined,
  key: keyof typeof ADDRESSES,
): string | undefined {
  const { flag, variable } = ADDRESSES[key];
  const sources = [
    [`--${flag}`, readTextFlag(args, flag)],
    [variable, readVariable(env, variable)],
    [`${config?.place(key)}: ${key}`, config?.[key]],
  ] as const;
  const [name, text] = firstGiven(sources) ?? [];
  if (text === undefined) return undefined;
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

/** The first of several sources that says something, with its name. */
function firstGiven(
  sources: readonly (readonly [string, string | undefined])[],
): readonly [string, string] | undefined {
  for (const [name, text] of sources) if (text !== undefined) return [name, text];
  return undefined;
}

function downloadDir(env: Env, args: CommandArgs, config: ConfigSettings | undefined): string {
  const [name, dir] = firstGiven([
    ['--dir', readTextFlag(args, 'dir')],
    ['TICKHAUL_DIR', readVariable(env, 'TICKHAUL_DIR')],
    [`${config?.place('dir')}: dir`, config?.dir],
  ]) ?? ['', 'datasets'];
  return parseLocationArgument(name, dir);
}

/** Variables that name proxies, and what needs none. */
const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
]);

/** As AWS's own tools read it; what is wrong with it is said where a store is used. */
function readStore(env: Env, args: CommandArgs, config: ConfigSettings | undefined): Settings['store'] {
  const flag = 's3-path-style';
  const ignoresVariables = readVariable(env, 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true';
  const endpoints = ignoresVariables ? [] : ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'];
  return {
    endpoint: readTextFlag(args, 's3-endpoint') ?? firstOf(env, endpoints) ?? config?.s3Endpoint,
    region:
      readTextFlag(args, 's3-region') ??
      firstOf(env, ['AWS_REGION', 'AWS_DEFAULT_REGION']) ??
      config?.s3Region,
    pathStyle: args[flag] === undefined ? config?.s3PathStyle : readBooleanFlag(args, flag),
    proxyVariables: Object.fromEntries(PROXY_VARIABLES.map((name) => [name, env[name]])),
    logsRequests: readBooleanFlag(args, 'verbose'),
  };
}

function firstOf(env: Env, names: readonly string[]): string | undefined {
  return names.map((name) => readVariable(env, name)).find((value) => value !== undefined);
}

/** A folder of the XDG Base Directory Specification, which says to ignore a path that is relative. */
export function readXdgFolder(env: Env, name: string): string | undefined {
  const path = readVariable(env, name);
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function sizeOf(env: Env, name: string): number | undefined {
  const text = readVariable(env, name);
  if (text === undefined) return undefined;
  try {
    return parseSize(text);
  } catch (error) {
    throw error instanceof TickhaulError ? usageError(`${name}: ${error.message}`) : error;
  }
}

/** A variable's value; an empty one counts as not set. */
export function readVariable(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
