import { constants, type FileHandle, open } from 'node:fs/promises';
import { NO_FOLLOW } from '../../base/disk-files.js';
import { wait } from '../../base/wait.js';
import { isOpenFileAt } from '../lock/remove-if-same.js';

const LF = 0x0a;
const REPLACEMENT_POLL_MS = 20;
const MAX_REPLACEMENT_MS = 5000;
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | NO_FOLLOW;

/**
 * Appends lines to a manifest that other processes append to and replace at the same time
 * (docs/spec/manifest.md#appending).
 *
 * The file is opened with O_APPEND and each batch is one write, so the lines of two processes do not mix. A
 * compaction renames a new file over the path, and lines written to the old file after that would be lost. So
 * after each write the path is checked: if it leads to another file, the same lines are written again. A
 * repeated line has no effect. See `compactManifest` for the other half.
 *
 * A file with further hard links is part of a snapshot, so it is compacted to a new file first.
 */
export class ManifestWriter {
  readonly #path: string;
  readonly #replace: () => Promise<boolean>;
  #handle: FileHandle | undefined;

  /**
   * @param replace replaces a file that has further hard links, such as those of a snapshot by `cp -al`, by a new one;
   * returns false if another process is doing so.
   */
  constructor(path: string, replace: () => Promise<boolean> = async () => false) {
    this.#path = path;
    this.#replace = replace;
  }

  /** @param lines complete lines, each with its line feed. */
  async append(lines: string): Promise<void> {
    for (let waitedMs = 0; ; ) {
      this.#handle ??= await open(this.#path, APPEND);
      // A process that was killed may have left the lock of a replacement, which must not stop a run for minutes.
      if (waitedMs < MAX_REPLACEMENT_MS && (await this.#handle.stat()).nlink > 1) {
        await this.close();
        if (await this.#replace()) continue;
        waitedMs += REPLACEMENT_POLL_MS;
        await wait(REPLACEMENT_POLL_MS);
        continue;
      }
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

/** Starts on a new line, even if a crash or a full disk has left a partial one. */
async function writeLines(handle: FileHandle, lines: string): Promise<void> {
  const { size } = await handle.stat();
  const last = Buffer.of(LF);
  if (size > 0) await handle.read(last, 0, 1, size - 1);
  const bytes = Buffer.from(last[0] === LF ? lines : `\n${lines}`);
  // Only a full disk or a size limit shortens a write; the next write then throws.
  for (let written = 0; written < bytes.length; )
    written += (await handle.write(bytes, written)).bytesWritten;
}
