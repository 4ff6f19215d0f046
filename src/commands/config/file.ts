import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { ConfigFile } from '../../config/parse.js';
import { schemeOf } from '../../store/location.js';
import type { Args } from '../arguments/args.js';
import { readText } from '../arguments/read.js';
import { baseFolder, type ConfigSettings, given, readSettings, type Settings } from '../environment.js';
import type { Host } from '../host.js';
import { isThere } from '../is-there.js';
import { LIMITS, readNamedText } from '../named-text.js';

const NAMES = ['tickhaul.yaml', 'tickhaul.json'];

/**
 * The config file: the one that is named, else the one here, else the user's (contract, Configuration).
 * @throws usage error for a named file that can't be read, and for what is wrong in any.
 */
export async function loadConfig(
  args: Args,
  { env, home, warn, signal }: Host,
): Promise<ConfigFile | undefined> {
  const flag = readText(args, 'config');
  if (flag !== undefined) return parse(await read(flag, '--config', signal), flag);
  const variable = given(env, 'TICKHAUL_CONFIG');
  if (variable !== undefined) return parse(await read(variable, 'TICKHAUL_CONFIG', signal), variable);
  const userFolder = join(baseFolder(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'tickhaul');
  for (const path of [...NAMES, ...NAMES.map((name) => join(userFolder, name))]) {
    if (!(await isThere(path))) continue;
    const passedOver = otherOf(path);
    if (await isThere(passedOver)) warn(`${passedOver} is passed over: ${path} beside it is read`);
    return parse(await read(path, 'config file', signal), path);
  }
  return undefined;
}

/** The same file in the other form. */
function otherOf(path: string): string {
  return path.endsWith('.yaml') ? path.replace(/yaml$/, 'json') : path.replace(/json$/, 'yaml');
}

/** What flags, environment and the config file say, for any command. */
export async function loadSettings(args: Args, host: Host): Promise<Settings> {
  const file = await loadConfig(args, host);
  return readSettings(host.env, args, host.home, file && settingsOf(file, host.home));
}

/** What the file says for every command; its paths are relative to its own folder, or to `~`, the user's. */
export function settingsOf({ path, config, place }: ConfigFile, home: string): ConfigSettings {
  const { apiUrl, datasetsUrl, authUrl, apiKeyFile, dir, s3Endpoint, s3Region, s3PathStyle } = config;
  const own = (text: string): string =>
    besideConfig(
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
export function besideConfig(configPath: string, path: string): string {
  return isAbsolute(path) || schemeOf(path) !== undefined ? path : resolve(dirname(configPath), path);
}

/** The parsers are loaded where there is a file to parse. */
async function parse(source: string, path: string): Promise<ConfigFile> {
  const { parseConfig } = await import('../../config/parse.js');
  return parseConfig(source, path);
}

function read(path: string, name: string, signal: AbortSignal): Promise<string> {
  return readNamedText({ name, what: 'the config file', path }, LIMITS.config, signal);
}
