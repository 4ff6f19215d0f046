import { type OutputHost, openSink, ReaderGone } from './output-sink.js';
import type { OutputTarget } from './output-target.js';
import { writeWhole } from './write-whole.js';

/** Characters of one write. */
const BLOCK_CHARACTERS = 64 * 1024;

/**
 * Writes texts to an output that the user named: a regular file gets them whole or stays as it was, anything else is
 * written to as it is. A reader that leaves is a normal end.
 * @throws TickhaulError `disk`, `path_taken`; usage error; the reason of the abort.
 */
export async function writeOutput(
  target: OutputTarget,
  texts: Iterable<string>,
  host: OutputHost,
): Promise<void> {
  if (target.kind === 'file') return writeWhole(target.path, texts);
  const sink = await openSink(target, host);
  try {
    for (const block of blocksOf(texts)) await sink.write(Buffer.from(block));
  } catch (error) {
    if (!(error instanceof ReaderGone)) throw error;
  } finally {
    await sink.close();
  }
}

function* blocksOf(texts: Iterable<string>): Generator<string> {
  let block = '';
  for (const text of texts) {
    block += text;
    if (block.length < BLOCK_CHARACTERS) continue;
    yield block;
    block = '';
  }
  if (block !== '') yield block;
}
