import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { findForeignOwner, findStrangers, pathExists, quoteForShell } from '../base/disk-files.js';
import { isSystemError, TickhaulError, usageError } from '../base/errors.js';
import type { Secrets } from '../base/secrets.js';
import { type ConfigOrigin, findListPaths } from '../options/found-settings.js';
import type { ConfigFile } from '../options/parse-config.js';
import { readOptions } from '../options/read-options.js';
import { SETTING_OPTIONS } from '../options/service-options.js';
import { parseScheme } from '../store/location.js';
import type { CommandHost } from './command-host.js';
import { type CommandArgs, expandHome } from './expand-home.js';
import { MAX_TEXT_BYTES, readUserFile } from './read-user-file.js';
import {
  type ConfigSettings,
  findUserFolder,
  readPathVariable,
  readSettings,
  type Settings,
} from './settings.js';

const FILE_NAMES = ['tickhaul.yaml', 'tickhaul.json'];

/**
 * Loads the config file: the named one, else `tickhaul.yaml` or `tickhaul.json` in the working folder, else in the
 * user's config folder (docs/spec/command-line.md#configuration-order). A file of the working folder is only found: it
 * may be somebody else's, so it has fewer rights (SECURITY.md#config-files).
 * @param flag path of `--config`.
 * @throws usage error for a named file that cannot be read or that strangers may write, for invalid contents of any
 * file, and for settings that a found file may not have.
 */
export function loadConfig(flag: string | undefined, host: CommandHost): Promise<ConfigFile | undefined> {
  const variable = readPathVariable(host.env, 'TICKHAUL_CONFIG', host.home);
  const files = loadedFiles.get(host.secrets) ?? new Map<string, Promise<ConfigFile | undefined>>();
  loadedFiles.set(host.secrets, files);
  const key = JSON.stringify([flag, variable]);
  const file =
    files.get(key) ??
    (flag !== undefined
      ? loadNamed(flag, '--config', host)
      : variable !== undefined
        ? loadNamed(variable, 'TICKHAUL_CONFIG', host)
        : findConfig(host));
  files.set(key, file);
  return file;
}

/**
 * Files by run: a command may ask several times, but warnings are printed once, and a pipe can be read once. The copies
 * of a run's host share its secrets.
 */
const loadedFiles = new WeakMap<Secrets, Map<string, Promise<ConfigFile | undefined>>>();

async function loadNamed(path: string, name: string, host: CommandHost): Promise<ConfigFile> {
  return parse(await readNamed(path, name, host), path, 'named');
}

async function findConfig(host: CommandHost): Promise<ConfigFile | undefined> {
  const { env, home, warn } = host;
  const userFolder = findUserFolder(env, 'XDG_CONFIG_HOME', home, '.config');
  const userPaths = userFolder === undefined ? [] : FILE_NAMES.map((name) => join(userFolder, name));
  const localOrigin = userFolder !== undefined && (await isSameFolder('.', userFolder)) ? 'named' : 'found';
  const candidates = [
    ...FILE_NAMES.map((name) => [name, localOrigin] as const),
    ...userPaths.map((path) => [path, 'named'] as const),
  ];
  for (const [path, origin] of candidates) {
    const source = await readExisting(path, origin, host);
    if (source === undefined) continue;
    const ignoredPath = toOtherFormat(path);
    if (await pathExists(ignoredPath)) warn(`ignoring ${ignoredPath}: ${path} takes precedence`);
    const file = await parse(source, path, origin);
    if (origin === 'found') await assertListsInside(file);
    return file;
  }
  return undefined;
}

/** Reads a file that the user named. @throws usage error if it cannot be read, or strangers may write it. */
function readNamed(path: string, name: string, { signal, user }: CommandHost): Promise<string> {
  return readUserFile({ name, what: 'the config file', path }, MAX_TEXT_BYTES.config, signal, (stats) => {
    // A device such as /dev/null is open to all.
    const strangers = stats.isFile() || stats.isFIFO() ? findStrangers(stats, 'write', user) : undefined;
    if (strangers !== undefined) {
      throw usageError(
        `${name}: ${strangers} may write "${path}"; correct it with: chmod go-w ${quoteForShell(path)}`,
      );
    }
  });
}

/** Why a file that exists is not read. */
class PassedOver extends Error {}

/** Reads a file that may exist; undefined, with a warning, for one that is not to be trusted. */
async function readExisting(
  path: string,
  origin: ConfigOrigin,
  host: CommandHost,
): Promise<string | undefined> {
  const { signal, user, warn } = host;
  const check = (stats: Stats): void => {
    if (!stats.isFile()) throw new PassedOver('not a regular file');
    if (origin === 'found') assertOwn(stats, path, user);
  };
  try {
    // Opening a pipe or a device may have effects, so it is not even tried.
    const [link, target] = await Promise.all([lstat(path), stat(path)]);
    if (origin === 'found' && link.isSymbolicLink()) assertOwner(link, user);
    check(target);
    if (origin === 'named') return await readNamed(path, 'config file', host);
    const file = { name: 'config file', what: 'the config file', path };
    return await readUserFile(file, MAX_TEXT_BYTES.config, signal, check);
  } catch (error) {
    if (error instanceof PassedOver) warn(`ignoring ${path}: ${error.message}`);
    // A path that is absent or cannot be reached; a file that cannot be read is an error.
    else if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    return undefined;
  }
}

/** @throws PassedOver for a file that belongs to another user, or that strangers may write. */
function assertOwn(stats: Stats, path: string, user: CommandHost['user']): void {
  assertOwner(stats, user);
  const strangers = findStrangers(stats, 'write', user);
  if (strangers !== undefined) {
    throw new PassedOver(`${strangers} may write it; to use it, correct it with: chmod go-w ${path}`);
  }
}

function assertOwner(stats: Stats, user: CommandHost['user']): void {
  const owner = findForeignOwner(stats, user);
  if (owner !== undefined) throw new PassedOver(`${owner} owns it; if you trust it, name it with --config`);
}

/** Whether two folders are the same; false if one does not exist. */
async function isSameFolder(one: string, other: string): Promise<boolean> {
  try {
    return (await realpath(one)) === (await realpath(other));
  } catch {
    return false;
  }
}

/**
 * Checks the lists (`@file`) of a found file: it could name any file of the user, whose lines would be in errors.
 * @throws usage error for a list outside of the folder of the config file, and for a pipe or device.
 */
async function assertListsInside({ path, config, place }: ConfigFile): Promise<void> {
  const folder = await realpath(dirname(path));
  for (const list of findListPaths(config)) {
    const target = await realpath(resolveConfigPath(path, list)).catch(() => undefined);
    // The reader of the list reports a missing one.
    if (target === undefined) continue;
    if (target.startsWith(join(folder, sep)) && (await stat(target)).isFile()) continue;
    throw usageError(
      `${place(['jobs'])}: "@${list}" is not a file in the folder of the config file, which was only found in the working folder; if you trust it, name it with --config or TICKHAUL_CONFIG`,
    );
  }
}

/** The path of the same file in the other format. */
function toOtherFormat(path: string): string {
  return path.endsWith('.yaml') ? path.replace(/yaml$/, 'json') : path.replace(/json$/, 'yaml');
}

/** Settings from flags, environment and config file, in this order of precedence. */
export async function loadSettings(args: CommandArgs, host: CommandHost): Promise<Settings> {
  const options = readOptions(SETTING_OPTIONS, args);
  const file = await loadConfig(options.config, host);
  return readSettings(host.env, options, host.home, file && toConfigSettings(file, host.home));
}

/**
 * Settings of the file for all commands. Its paths are relative to its folder; `~` is the user's home folder.
 */
export function toConfigSettings(
  { path, config, place }: ConfigFile,
  home: string | undefined,
): ConfigSettings {
  const { apiUrl, datasetsUrl, authUrl, allowHttp, apiKeyFile, dir, s3Endpoint, s3Region, s3PathStyle } =
    config;
  const resolvePath = (key: string, text: string): string =>
    resolveConfigPath(path, expandHome(`${place([key])}: ${key}`, text, home));
  return {
    place: (key) => place([key]),
    apiUrl,
    datasetsUrl,
    authUrl,
    allowHttp,
    apiKeyFile: apiKeyFile === '-' ? '-' : apiKeyFile && resolvePath('apiKeyFile', apiKeyFile),
    dir: dir && resolvePath('dir', dir),
    s3Endpoint,
    s3Region,
    s3PathStyle,
  };
}

/** Resolves a path in a config file against the folder of the file; an address stays as it is. */
export function resolveConfigPath(configPath: string, path: string): string {
  return isAbsolute(path) || parseScheme(path) !== undefined ? path : resolve(dirname(configPath), path);
}

/** Loads the parsers lazily: most commands have no config file. */
async function parse(source: string, path: string, origin: ConfigOrigin): Promise<ConfigFile> {
  const { parseConfig } = await import('../options/parse-config.js');
  return parseConfig(source, path, origin);
}
