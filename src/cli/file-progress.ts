import { namedDescriptor } from '../base/output-target.js';
import { readText, readToggle } from '../commands/arguments/read.js';
import type { Written } from '../market/lines/line-sink.js';
import type { Args, Cli } from './arguments/types.js';

/** Whether messages go to a file, and not to stdout or another descriptor. */
export function writesFile(args: Args): boolean {
  const out = readText(args, 'out') ?? '-';
  return out !== '-' && namedDescriptor(out) === undefined;
}

/**
 * Of messages that go to a file: how many there are so far, where bars would be shown.
 * @param isFree tells whether nothing else is drawn there. @returns what takes it off.
 */
export async function showFileProgress(
  args: Args,
  { stderr, env }: Cli,
  written: Written,
  isFree: () => boolean = () => true,
): Promise<() => void> {
  if (!writesFile(args)) return () => {};
  const { reporterName } = await import('./output/run/reporters.js');
  const name = reporterName(readToggle(args, 'json'), readToggle(args, 'quiet'), stderr, env['TERM']);
  if (name !== 'bars') return () => {};
  const { showWritten } = await import('./output/run/written-line.js');
  return showWritten(stderr, written, isFree);
}
