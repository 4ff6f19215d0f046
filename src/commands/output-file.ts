import { type OutputTarget, resolveOutput } from '../base/output-target.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readPath } from './arguments/read-arguments.js';

/**
 * The target of a flag that names a local output file; `-` is stdout.
 * @param defaultPath path if the flag is absent; without it, the result is then undefined.
 * @throws usage error for an address, a folder, a block device or a socket; `disk`, `path_taken`.
 */
export async function readOutputFile(
  args: CommandArgs,
  flag: string,
  defaultPath: string,
): Promise<OutputTarget>;
export async function readOutputFile(args: CommandArgs, flag: string): Promise<OutputTarget | undefined>;
export async function readOutputFile(
  args: CommandArgs,
  flag: string,
  defaultPath?: string,
): Promise<OutputTarget | undefined> {
  const path = readPath(args, flag) ?? defaultPath;
  return path === undefined ? undefined : resolveOutput(`--${flag}`, path);
}

/** Whether an output is the stdout of this process. */
export function isStdout(target: OutputTarget | undefined): boolean {
  return target?.kind === 'descriptor' && target.fd === 1;
}
