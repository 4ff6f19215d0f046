import type { LineSink } from '../market/lines/line-sink.js';
import type { Args } from './arguments/args.js';
import { readPath } from './arguments/read.js';

/** Does some work with where its lines go: a file, which has its name once that is done, or else `output`. */
export type WithOutput = (output: LineSink, work: (lines: LineSink) => Promise<void>) => Promise<void>;

/** Where `--out` says that messages go. @throws usage error. */
export function readOutput(args: Args): WithOutput {
  const path = readPath(args, 'out') ?? '-';
  return async (output, work) => {
    if (path === '-') return work(output);
    const { toFile } = await import('../replay/file-output.js');
    return toFile(path, work);
  };
}
