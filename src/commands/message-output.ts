import type { LineSink } from '../market/lines/line-sink.js';
import { openFiles } from '../store/open-files.js';
import type { Args } from './arguments/args.js';
import { readFileLocation } from './arguments/read.js';
import { storeOf } from './destination.js';
import type { Host } from './host.js';

/** Does some work with where its lines go: a file, which has its name once that is done, or else `output`. */
export type WithOutput = (output: LineSink, work: (lines: LineSink) => Promise<void>) => Promise<void>;

/** Where `--out` says that messages go. @throws usage error. */
export async function readOutput(args: Args, host: Host): Promise<WithOutput> {
  const location = readFileLocation(args, 'out') ?? '-';
  if (location === '-') return (output, work) => work(output);
  const store = await storeOf(args, host, [location]);
  return async (_output, work) => {
    const { toFile } = await import('../replay/file-output.js');
    const files = openFiles(store);
    await toFile(files, location, work, host.signal).finally(() => files.close());
  };
}
