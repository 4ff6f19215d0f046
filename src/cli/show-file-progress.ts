import { namedDescriptor } from '../base/output-sink.js';
import type { WrittenCounts } from '../market/lines/line-sink.js';
import { readBooleanFlag, readTextFlag } from '../operations/arguments/read-arguments.js';
import type { CliHost, CommandArgs } from './arguments/command.js';

/** Whether messages go to a file, rather than to stdout or another descriptor. */
export function writesFile(args: CommandArgs): boolean {
  const out = readTextFlag(args, 'out') ?? '-';
  return out !== '-' && namedDescriptor(out) === undefined;
}

/**
 * If messages go to a file, shows how many were written, where bars would be shown.
 * @param isFree whether nothing else is drawn there. @returns removes the line.
 */
export async function showFileProgress(
  args: CommandArgs,
  { stderr, env }: CliHost,
  written: WrittenCounts,
  isFree: () => boolean = () => true,
): Promise<() => void> {
  if (!writesFile(args)) return () => {};
  const { chooseReporter } = await import('./output/run/create-reporter.js');
  const name = chooseReporter(
    readBooleanFlag(args, 'json'),
    readBooleanFlag(args, 'quiet'),
    stderr,
    env['TERM'],
  );
  if (name !== 'bars') return () => {};
  const { showWritten } = await import('./output/run/show-written.js');
  return showWritten(stderr, written, isFree);
}
