import type { Args } from '../arguments/args.js';
import { localPath, readPath } from '../arguments/read.js';
import { given, type Settings } from '../environment.js';
import type { Host } from '../host.js';

/** The folder that holds `feeds`, the slices of the raw data API (contract, Replay). @throws usage error for an address. */
export function readCacheFolder(args: Args, { env }: Host, { cacheDir }: Settings): string {
  const variable = given(env, 'TM_CACHE_DIR');
  return readPath(args, 'cache-dir') ?? (variable && localPath('TM_CACHE_DIR', variable)) ?? cacheDir;
}
