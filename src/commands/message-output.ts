import { openSink } from '../base/output-sink.js';
import { resolveOutput } from '../base/output-target.js';
import type { LineSink } from '../market/lines/line-sink.js';
import type { Files, PartFile } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import { openFiles } from '../store/open-files.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readFileLocation } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import { readStoreSettings } from './with-destination.js';

/** Does some work with where its lines go: what `--out` names, which is opened first, or else `output`. */
export type WithMessageOutput = (output: LineSink, work: (lines: LineSink) => Promise<void>) => Promise<void>;

/** What `--out` names. */
export interface MessageOutput {
  /** As the user wrote it. */
  readonly name: string;
  /** Of a regular file, where it lies, and where its bytes gather before it has its name. */
  readonly file?: { readonly path: string; readonly part: string } | undefined;
  /**
   * Of anything but a file or an object, `publishPart` does nothing.
   * @throws usage error; `disk`, `path_taken`; the reason of the abort, while a named pipe has no reader.
   */
  open(): Promise<PartFile>;
}

/** Where `--out` says that messages go. @throws usage error; `disk`, `path_taken`. */
export async function withMessageOutput(args: CommandArgs, host: CommandHost): Promise<WithMessageOutput> {
  const out = await readMessageOutput(args, host);
  if (!out) return (output, work) => work(output);
  return async (_output, work) => {
    const { writeLinesToFile } = await import('../replay/file-output.js');
    await writeLinesToFile(await out.open(), out.name, work);
  };
}

/** What `--out` names; undefined for `-`, or where it is not given. @throws usage error; `disk`, `path_taken`. */
export async function readMessageOutput(
  args: CommandArgs,
  host: CommandHost,
): Promise<MessageOutput | undefined> {
  const name = readFileLocation(args, 'out') ?? '-';
  if (name === '-') return undefined;
  const { signal } = host;
  if (isObjectLocation(name)) {
    const store = await readStoreSettings(args, host, [name]);
    return { name, open: () => openPart(openFiles(store), name, undefined, signal) };
  }
  const target = await resolveOutput('--out', name);
  if (target.kind === 'file') {
    const { path } = target;
    const part = `${path}.part`;
    return { name, file: { path, part }, open: () => openPart(openFiles(), path, part, signal) };
  }
  return {
    name,
    async open() {
      const { write, close } = await openSink(target, host);
      return { write, publish: async () => undefined, discard: close };
    },
  };
}

/** A file in the making that closes, in the end, what it was opened with. */
async function openPart(
  files: Files,
  location: string,
  part: string | undefined,
  signal: AbortSignal,
): Promise<PartFile> {
  try {
    const file = await files.openPart(location, part, signal);
    return { ...file, discard: () => file.discard().finally(() => files.close()) };
  } catch (error) {
    await files.close();
    throw error;
  }
}
