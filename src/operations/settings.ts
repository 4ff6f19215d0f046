import { isAbsolute, join } from 'node:path';
import { ALL_USERS, findStrangers, quoteForShell } from '../base/disk-files.js';
import { TickhaulError, usageError } from '../base/errors.js';
import { parseSize } from '../base/units.js';
import { describeIgnoredEntries, PROXY_VARIABLES } from '../http/proxy-settings.js';
import { parseLocation } from '../options/option-types.js';
import type { GivenFlags, ReadOptions } from '../options/option-values.js';
import type { SETTING_OPTIONS } from '../options/service-options.js';
import type { StoreSettings } from '../store/files.js';
import type { CommandHost } from './command-host.js';
import { expandHome } from './expand-home.js';
import { MAX_TEXT_BYTES, readStdin, readUserFile } from './read-user-file.js';

/** Environment variables that may hold an API key. */
export const KEY_VARIABLES = ['TICKHAUL_API_KEY', 'TARDIS_API_KEY', 'TM_API_KEY'] as const;

type Env = Readonly<Record<string, string | undefined>>;

/** The environment without API keys, for the user's commands. */
export function withoutKeys(env: Env): Env {
  const copy = { ...env };
  for (const name of KEY_VARIABLES) delete copy[name];
  return copy;
}

/** Source of the API key; the file `-` is stdin. */
export type KeySource =
  | { readonly from: 'value'; readonly name: string; readonly text: string }
  | { readonly from: 'file'; readonly name: string; readonly path: string };

/** Settings of a config file: absolute paths, and addresses as written. */
export interface ConfigSettings {
  /** File and line of a setting, for error messages. */
  readonly place: (key: string) => string;
  readonly apiUrl?: string | undefined;
  readonly datasetsUrl?: string | undefined;
  readonly authUrl?: string | undefined;
  readonly allowHttp?: boolean | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly dir?: string | undefined;
  readonly s3Endpoint?: string | undefined;
  readonly s3Region?: string | undefined;
  readonly s3PathStyle?: boolean | undefined;
}

/** The options that settings are read from; a command has some of them. */
export type SettingOptions = Partial<Omit<ReadOptions<typeof SETTING_OPTIONS>, 'given'>> & {
  readonly given: GivenFlags;
};

/** Settings of service and folders from flags, environment and config file, in this order, with defaults. */
export interface Settings {
  /** Without a slash at the end. */
  readonly apiUrl: string;
  readonly datasetsUrl: string;
  /** The identity issuer; undefined for the issuer that the API host names. */
  readonly authUrl: string | undefined;
  /** Whether the key may be sent to other machines over plain http. */
  readonly allowHttp: boolean;
  readonly keySource: KeySource | undefined;
  /** A folder of this machine, or `s3://bucket/prefix`. */
  readonly downloadDir: string;
  readonly store: Omit<StoreSettings, 'stallTimeoutMs'>;
  /** Bytes; undefined for the default. */
  readonly maxAnswerBytes: number | undefined;
  /** Undefined if the home folder is not known; see `requireFolder`. */
  readonly cacheDir: string | undefined;
  /** The user's config folder, which may not exist yet; undefined if the home folder is not known. */
  readonly configDir: string | undefined;
}

/**
 * Reads settings: flags override the environment, which overrides the config file
 * (docs/spec/command-line.md#configuration-order).
 * @param home the user's home folder; undefined if it is not known.
 * @throws usage error for an address that is not http or https.
 */
export function readSettings(
  env: Env,
  options: SettingOptions,
  home: string | undefined,
  config?: ConfigSettings,
): Settings {
  return {
    apiUrl: readAddress(env, options, config, 'apiUrl') ?? 'https://api.tardis.dev',
    datasetsUrl: readAddress(env, options, config, 'datasetsUrl') ?? 'https://datasets.tardis.dev',
    authUrl: readAddress(env, options, config, 'authUrl'),
    allowHttp: (options.given.has('allow-http') ? options.allowHttp : config?.allowHttp) === true,
    keySource: readKeySource(env, options, home, config),
    downloadDir: readDownloadDir(env, options, home, config),
    store: readStore(env, options, config),
    maxAnswerBytes: readSizeVariable(env, 'TICKHAUL_MAX_ANSWER'),
    cacheDir: findUserFolder(env, 'XDG_CACHE_HOME', home, '.cache'),
    configDir: findUserFolder(env, 'XDG_CONFIG_HOME', home, '.config'),
  };
}

type KeyReaderHost = Pick<CommandHost, 'stdin' | 'signal' | 'secrets' | 'user' | 'warn'>;

/**
 * Reads the API key, without surrounding white space, and registers it as a secret.
 * Warns of a file that strangers may read.
 * @throws usage error, never with the key, for a missing file, an empty key, or a key with invalid characters; the
 * reason of an abort during the read of stdin.
 */
export async function readKey(
  source: KeySource | undefined,
  host: KeyReaderHost,
): Promise<string | undefined> {
  if (source === undefined) return undefined;
  const key = (source.from === 'value' ? source.text : await readKeyFile(source, host)).trim();
  if (key === '') throw usageError(`${source.name}: the API key is empty`);
  if (/^["'`\u2018-\u201f]|["'`\u2018-\u201f]$/.test(key))
    throw usageError(`${source.name}: the API key is in quotes; remove them`);
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw usageError(
      `${source.name}: the API key contains a blank, a line break or another invalid character; copy it again`,
    );
  }
  return host.secrets.add(key);
}

async function readKeyFile(
  { name, path }: KeySource & { readonly from: 'file' },
  { stdin, signal, user, warn }: KeyReaderHost,
): Promise<string> {
  if (path === '-') return readStdin(stdin, name, signal);
  return readUserFile({ name, what: 'the API key file', path }, MAX_TEXT_BYTES.key, signal, (stats) => {
    const readers = stats.isFile() ? findStrangers(stats, 'read', user) : undefined;
    // A service reads a file of root by the right of its group.
    if (readers === undefined || (readers !== ALL_USERS && stats.uid !== user?.uid)) return;
    warn(`${name}: ${readers} may read "${path}"; correct it with: chmod go-r ${quoteForShell(path)}`);
  });
}

function readKeySource(
  env: Env,
  { apiKey, apiKeyFile }: SettingOptions,
  home: string | undefined,
  config: ConfigSettings | undefined,
): KeySource | undefined {
  if (apiKey !== undefined) return { from: 'value', name: '--api-key', text: apiKey };
  if (apiKeyFile !== undefined) return { from: 'file', name: '--api-key-file', path: apiKeyFile };
  return (
    readKeyVariable(env, 'TICKHAUL_API_KEY') ??
    readKeyFileVariable(env, 'TICKHAUL_API_KEY_FILE', home) ??
    readKeyVariable(env, 'TARDIS_API_KEY') ??
    readKeyVariable(env, 'TM_API_KEY') ??
    (config?.apiKeyFile === undefined
      ? undefined
      : { from: 'file', name: `${config.place('apiKeyFile')}: apiKeyFile`, path: config.apiKeyFile })
  );
}

function readKeyVariable(env: Env, name: string): KeySource | undefined {
  const value = readVariable(env, name);
  return value === undefined ? undefined : { from: 'value', name, text: value };
}

function readKeyFileVariable(env: Env, name: string, home: string | undefined): KeySource | undefined {
  const path = readPathVariable(env, name, home);
  return path === undefined ? undefined : { from: 'file', name, path };
}

const ADDRESSES = {
  apiUrl: { flag: 'api-url', variable: 'TICKHAUL_API_URL' },
  datasetsUrl: { flag: 'datasets-url', variable: 'TICKHAUL_DATASETS_URL' },
  authUrl: { flag: 'auth-url', variable: 'TICKHAUL_AUTH_URL' },
} as const;

function readAddress(
  env: Env,
  options: SettingOptions,
  config: ConfigSettings | undefined,
  key: keyof typeof ADDRESSES,
): string | undefined {
  const { flag, variable } = ADDRESSES[key];
  const sources = [
    [`--${flag}`, options[key]],
    [variable, readVariable(env, variable)],
    [`${config?.place(key)}: ${key}`, config?.[key]],
  ] as const;
  const [name, text] = findFirst(sources) ?? [];
  if (text === undefined) return undefined;
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    throw usageError(
      `${name}: "${text.replace(/\/\/.*@/, '//…@')}" is not an address; use the form https://host or http://host:port`,
    );
  }
  const { username, password } = new URL(text);
  // Credentials would be written to logs and to the lock file; those of a proxy belong in HTTPS_PROXY.
  if (username !== '' || password !== '')
    throw usageError(`${name}: the address must not contain a user or a password; remove them`);
  return text.replace(/\/+$/, '');
}

/** The first source with a value, and its name. */
function findFirst(
  sources: readonly (readonly [string, string | undefined])[],
): readonly [string, string] | undefined {
  for (const [name, text] of sources) if (text !== undefined) return [name, text];
  return undefined;
}

function readDownloadDir(
  env: Env,
  options: SettingOptions,
  home: string | undefined,
  config: ConfigSettings | undefined,
): string {
  const [name, dir] = findFirst([
    ['--dir', options.dir],
    ['TICKHAUL_DIR', readPathVariable(env, 'TICKHAUL_DIR', home)],
    [`${config?.place('dir')}: dir`, config?.dir],
  ]) ?? ['', 'datasets'];
  return parseLocation(name, dir);
}

const warnedHosts = new WeakSet<object>();

/** Warns once in a run if entries of NO_PROXY have no effect. @throws usage error for an unsupported proxy. */
export function warnOfProxySettings(host: Pick<CommandHost, 'env' | 'warn'>): void {
  if (warnedHosts.has(host)) return;
  warnedHosts.add(host);
  const warning = describeIgnoredEntries(host.env);
  if (warning !== undefined) host.warn(warning);
}

/** Reads the store settings like the AWS tools; errors are reported when a store is used. */
function readStore(env: Env, options: SettingOptions, config: ConfigSettings | undefined): Settings['store'] {
  const ignoresVariables = readVariable(env, 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS') === 'true';
  const endpoints = ignoresVariables ? [] : ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'];
  return {
    endpoint: options.s3Endpoint ?? readFirstVariable(env, endpoints) ?? config?.s3Endpoint,
    region:
      options.s3Region ?? readFirstVariable(env, ['AWS_REGION', 'AWS_DEFAULT_REGION']) ?? config?.s3Region,
    pathStyle: options.given.has('s3-path-style') ? options.s3PathStyle : config?.s3PathStyle,
    proxyVariables: Object.fromEntries(PROXY_VARIABLES.map((name) => [name, env[name]])),
    logsRequests: options.verbose === true,
  };
}

function readFirstVariable(env: Env, names: readonly string[]): string | undefined {
  return names.map((name) => readVariable(env, name)).find((value) => value !== undefined);
}

/** tickhaul's folder in one of the user's folders; undefined if the home folder is needed and not known. */
export function findUserFolder(
  env: Env,
  variable: 'XDG_CACHE_HOME' | 'XDG_CONFIG_HOME',
  home: string | undefined,
  name: string,
): string | undefined {
  const folder = readXdgFolder(env, variable) ?? (home === undefined ? undefined : join(home, name));
  return folder === undefined ? undefined : join(folder, 'tickhaul');
}

/** @throws usage error for a folder that is not known. @param variable names it as well as HOME does. */
export function requireFolder(
  folder: string | undefined,
  variable: 'XDG_CACHE_HOME' | 'XDG_CONFIG_HOME',
): string {
  if (folder !== undefined) return folder;
  throw usageError(
    `the home folder is not known: this user has no entry in the system; set HOME, or ${variable}`,
  );
}

/** A folder of the XDG Base Directory Specification, which requires relative paths to be ignored. */
function readXdgFolder(env: Env, name: string): string | undefined {
  const path = readVariable(env, name);
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

function readSizeVariable(env: Env, name: string): number | undefined {
  const text = readVariable(env, name);
  if (text === undefined) return undefined;
  try {
    return parseSize(text);
  } catch (error) {
    throw error instanceof TickhaulError ? usageError(`${name}: ${error.message}`) : error;
  }
}

/** The path in a variable, in which `~/` is the home folder. @throws usage error as `expandHome` does. */
export function readPathVariable(env: Env, name: string, home: string | undefined): string | undefined {
  const path = readVariable(env, name);
  return path === undefined ? undefined : expandHome(name, path, home);
}

/** The value of a variable; an empty value counts as unset. */
export function readVariable(env: Env, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === '' ? undefined : value;
}
