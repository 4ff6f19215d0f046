import { localPath, readPath } from '../../commands/arguments/read.js';
import { given, type Settings } from '../../commands/environment.js';
import type { Args, Cli } from '../arguments/types.js';

/** The folder that holds `feeds`, the slices of the raw data API (contract, Replay). @throws usage error for an address. */
export function readCacheFolder(args: Args, { env }: Cli, { cacheDir }: Settings): string {
  const variable = given(env, 'TM_CACHE_DIR');
  return readPath(args, 'cache-dir') ?? (variable && localPath('TM_CACHE_DIR', variable)) ?? cacheDir;
}
