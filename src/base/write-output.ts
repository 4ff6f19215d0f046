import { type OutputHost, openSink, ReaderClosedError } from './output-sink.js';
import type { OutputTarget } from './output-target.js';
import { writeWhole } from './write-whole.js';

/** Texts are joined to blocks of at least this length before they are written. */
const MIN_BLOCK_CHARACTERS = 64 * 1024;

/**
 * Writes texts to an output that the user named. A regular file is replaced as a whole or not at all; any
 * other output is written to directly. If the reader closes a pipe, this is a normal end.
 * @throws TickhaulError `disk`, `path_taken`; usage error; the abort reason.
 */
export async function writeOutput(
  target: OutputTarget,
  texts: Iterable<string>,
  host: OutputHost,
): Promise<void> {
  if (target.kind === 'file') return writeWhole(target.path, texts);
  const sink = await openSink(target, host);
  try {
    for (const block of joinToBlocks(texts)) await sink.write(Buffer.from(block));
  } catch (error) {
    if (!(error instanceof ReaderClosedError)) throw error;
  } finally {
    await sink.close();
  }
}

function* joinToBlocks(texts: Iterable<string>): Generator<string> {
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < MIN_BLOCK_CHARACTERS) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}
