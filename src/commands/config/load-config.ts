import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { ConfigFile } from '../../config/parse-config.js';
import { parseScheme } from '../../store/location.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { pathExists } from '../path-exists.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import {
  type ConfigSettings,
  readSettings,
  readVariable,
  readXdgFolder,
  type Settings,
} from '../settings.js';

const NAMES = ['tickhaul.yaml', 'tickhaul.json'];

/**
 * The config file: the one that is named, else the one here, else the user's (contract, Configuration).
 * @throws usage error for a named file that can't be read, and for what is wrong in any.
 */
export async function loadConfig(
  args: CommandArgs,
  { env, home, warn, signal }: CommandHost,
): Promise<ConfigFile | undefined> {
  const flag = readTextFlag(args, 'config');
  if (flag !== undefined) return parse(await read(flag, '--config', signal), flag);
  const variable = readVariable(env, 'TICKHAUL_CONFIG');
  if (variable !== undefined) return parse(await read(variable, 'TICKHAUL_CONFIG', signal), variable);
  const userFolder = join(readXdgFolder(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'tickhaul');
  for (const path of [...NAMES, ...NAMES.map((name) => join(userFolder, name))]) {
    if (!(await pathExists(path))) continue;
    const passedOver = otherOf(path);
    if (await pathExists(passedOver)) warn(`${passedOver} is passed over: ${path} beside it is read`);
    return parse(await read(path, 'config file', signal), path);
  }
  return undefined;
}

/** The same file in the other form. */
function otherOf(path: string): string {
  return path.endsWith('.yaml') ? path.replace(/yaml$/, 'json') : path.replace(/json$/, 'yaml');
}

/** What flags, environment and the config file say, for any command. */
export async function loadSettings(args: CommandArgs, host: CommandHost): Promise<Settings> {
  const file = await loadConfig(args, host);
  return readSettings(host.env, args, host.home, file && toConfigSettings(file, host.home));
}

/** What the file says for every command; its paths are relative to its own folder, or to `~`, the user's. */
export function toConfigSettings({ path, config, place }: ConfigFile, home: string): ConfigSettings {
  const { apiUrl, datasetsUrl, authUrl, apiKeyFile, dir, s3Endpoint, s3Region, s3PathStyle } = config;
  const own = (text: string): string =>
    resolveConfigPath(
      path,
      text.replace(/^~(?=\/|$)/, () => home),
    );
  return {
    place: (key) => place([key]),
    apiUrl,
    datasetsUrl,
    authUrl,
    apiKeyFile: apiKeyFile === '-' ? '-' : apiKeyFile && own(apiKeyFile),
    dir: dir && own(dir),
    s3Endpoint,
    s3Region,
    s3PathStyle,
  };
}

/** A path that a config file names; an address stays as it is. */
export function resolveConfigPath(configPath: string, path: string): string {
  return isAbsolute(path) || parseScheme(path) !== undefined ? path : resolve(dirname(configPath), path);
}

/** The parsers are loaded where there is a file to parse. */
async function parse(source: string, path: string): Promise<ConfigFile> {
  const { parseConfig } = await import('../../config/parse-config.js');
  return parseConfig(source, path);
}

function read(path: string, name: string, signal: AbortSignal): Promise<string> {
  return readUserFile({ name, what: 'the config file', path }, MAX_TEXT_BYTES.config, signal);
}
