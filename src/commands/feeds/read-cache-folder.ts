import type { CommandArgs } from '../arguments/command-args.js';
import { assertLocalPath, readPath } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { readVariable, type Settings } from '../settings.js';

/**
 * The folder that contains `feeds`, the slice cache (docs/spec/raw-feeds-api.md#slice-cache).
 * @throws usage error for an address.
 */
export function readCacheFolder(args: CommandArgs, { env }: CommandHost, { cacheDir }: Settings): string {
  const variable = readVariable(env, 'TM_CACHE_DIR');
  return readPath(args, 'cache-dir') ?? (variable && assertLocalPath('TM_CACHE_DIR', variable)) ?? cacheDir;
}
