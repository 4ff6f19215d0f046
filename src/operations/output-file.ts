import { usageError } from '../base/errors.js';
import { type OutputTarget, resolveOutput } from '../base/output-sink.js';

/**
 * The target of a flag that names a local output file; `-` is stdout. Undefined if the flag is absent.
 * @throws usage error for a folder, a block device or a socket; `disk`, `path_taken`.
 */
export async function findOutput(flag: string, path: string | undefined): Promise<OutputTarget | undefined> {
  return path === undefined ? undefined : resolveOutput(`--${flag}`, path);
}

/** The target of `--html`. @throws as `findOutput` does; usage error if `--json` prints to the same stdout. */
export async function findPageFile({
  html,
  json,
}: {
  readonly html?: string | undefined;
  readonly json: boolean;
}): Promise<OutputTarget | undefined> {
  const target = await findOutput('html', html);
  if (isStdout(target) && json)
    throw usageError('--html - and --json both print to stdout; use only one of them');
  return target;
}

/** Whether an output is the stdout of this process. */
export function isStdout(target: OutputTarget | undefined): boolean {
  return target?.kind === 'descriptor' && target.fd === 1;
}
