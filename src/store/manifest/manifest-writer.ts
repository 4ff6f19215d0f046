import { constants, type FileHandle, open } from 'node:fs/promises';
import { isOpenFileAt } from '../lock/remove-if-same.js';
import { NO_FOLLOW } from '../no-follow.js';

const LF = 0x0a;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW;

/**
 * Appends whole lines to a manifest that other processes append to and replace at the same time.
 *
 * The file is opened with O_APPEND and each batch is one write, so lines of two processes don't mix. A
 * compaction renames a new file over the path, and what is then still written to the old one would be lost.
 * So after each write the path is looked at: if it is no longer the file written to, the same lines are
 * written again to the new one. A line written twice says nothing new. See compact.ts for the other half.
 */
export class ManifestWriter {
  readonly #path: string;
  #handle: FileHandle | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** @param lines whole lines, each with its line feed. */
  async append(lines: string): Promise<void> {
    for (;;) {
      this.#handle ??= await open(this.#path, APPEND);
      await writeLines(this.#handle, lines);
      if (await isOpenFileAt(this.#handle, this.#path)) return;
      await this.close();
    }
  }

  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

/** Begins on a fresh line, even where a crash or a full disk left half a one. */
async function writeLines(handle: FileHandle, lines: string): Promise<void> {
  const { size } = await handle.stat();
  const last = Buffer.of(LF);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  const bytes = Buffer.from(last[0] === LF ? lines : `\n${lines}`);
  // A write is cut short only by a full disk or a limit; the next one then throws.
  for (let done = 0; done < bytes.length; ) done += (await handle.write(bytes, done)).bytesWritten;
}
