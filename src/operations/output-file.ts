import { usageError } from '../base/errors.js';
import { type OutputTarget, resolveOutput } from '../base/output-target.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag, readPath } from './arguments/read-arguments.js';

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

/** The target of `--html`. @throws as `readOutputFile` does; usage error if `--json` prints to the same stdout. */
export async function readPageFile(args: CommandArgs): Promise<OutputTarget | undefined> {
  const target = await readOutputFile(args, 'html');
  if (isStdout(target) && readBooleanFlag(args, 'json'))
    throw usageError('--html - and --json both print to stdout; use only one of them');
  return target;
}

/** Whether an output is the stdout of this process. */
export function isStdout(target: OutputTarget | undefined): boolean {
  return target?.kind === 'descriptor' && target.fd === 1;
}
