import { type OutputTarget, resolveOutput } from '../base/output-target.js';
import type { Args } from './arguments/args.js';
import { readPath } from './arguments/read.js';

/**
 * What an option that names an output file of this machine leads to; `-` is stdout.
 * @param byDefault the path where the option is not given; without one, the result is undefined then.
 * @throws usage error for an address, a folder, a block device, a socket; `disk`, `path_taken`.
 */
export async function readOutputFile(args: Args, flag: string, byDefault: string): Promise<OutputTarget>;
export async function readOutputFile(args: Args, flag: string): Promise<OutputTarget | undefined>;
export async function readOutputFile(
  args: Args,
  flag: string,
  byDefault?: string,
): Promise<OutputTarget | undefined> {
  const path = readPath(args, flag) ?? byDefault;
  return path === undefined ? undefined : resolveOutput(`--${flag}`, path);
}

/** Whether an output is this process's stdout. */
export function isStdout(target: OutputTarget | undefined): boolean {
  return target?.kind === 'descriptor' && target.fd === 1;
}
