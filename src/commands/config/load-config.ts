import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathExists } from '../../base/path-exists.js';
import type { ConfigFile } from '../../config/parse-config.js';
import { parseScheme } from '../../store/location.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import {
  type ConfigSettings,
  readSettings,
  readVariable,
  readXdgFolder,
  type Settings,
} from '../settings.js';

const FILE_NAMES = ['tickhaul.yaml', 'tickhaul.json'];

/**
 * Loads the config file: the named one, else `tickhaul.yaml` or `tickhaul.json` in the working folder, else in the
 * user's config folder (docs/spec/command-line.md#configuration-order).
 * @throws usage error for a named file that cannot be read, and for invalid contents of any file.
 */
export async function loadConfig(
  args: CommandArgs,
  { env, home, warn, signal }: CommandHost,
): Promise<ConfigFile | undefined> {
  const flag = readTextFlag(args, 'config');
  if (flag !== undefined) return parse(await readConfig(flag, '--config', signal), flag);
  const variable = readVariable(env, 'TICKHAUL_CONFIG');
  if (variable !== undefined) return parse(await readConfig(variable, 'TICKHAUL_CONFIG', signal), variable);
  const userFolder = join(readXdgFolder(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'tickhaul');
  for (const path of [...FILE_NAMES, ...FILE_NAMES.map((name) => join(userFolder, name))]) {
    if (!(await pathExists(path))) continue;
    const ignoredPath = toOtherFormat(path);
    if (await pathExists(ignoredPath)) warn(`ignoring ${ignoredPath}: ${path} takes precedence`);
    return parse(await readConfig(path, 'config file', signal), path);
  }
  return undefined;
}

/** The path of the same file in the other format. */
function toOtherFormat(path: string): string {
  return path.endsWith('.yaml') ? path.replace(/yaml$/, 'json') : path.replace(/json$/, 'yaml');
}

/** Settings from flags, environment and config file, in this order of precedence. */
export async function loadSettings(args: CommandArgs, host: CommandHost): Promise<Settings> {
  const file = await loadConfig(args, host);
  return readSettings(host.env, args, host.home, file && toConfigSettings(file, host.home));
}

/**
 * Settings of the file for all commands. Its paths are relative to its folder; `~` is the user's home folder.
 */
export function toConfigSettings({ path, config, place }: ConfigFile, home: string): ConfigSettings {
  const { apiUrl, datasetsUrl, authUrl, apiKeyFile, dir, s3Endpoint, s3Region, s3PathStyle } = config;
  const resolvePath = (text: string): string =>
    resolveConfigPath(
      path,
      text.replace(/^~(?=\/|$)/, () => home),
    );
  return {
    place: (key) => place([key]),
    apiUrl,
    datasetsUrl,
    authUrl,
    apiKeyFile: apiKeyFile === '-' ? '-' : apiKeyFile && resolvePath(apiKeyFile),
    dir: dir && resolvePath(dir),
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
async function parse(source: string, path: string): Promise<ConfigFile> {
  const { parseConfig } = await import('../../config/parse-config.js');
  return parseConfig(source, path);
}

function readConfig(path: string, name: string, signal: AbortSignal): Promise<string> {
  return readUserFile({ name, what: 'the config file', path }, MAX_TEXT_BYTES.config, signal);
}
