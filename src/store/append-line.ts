import type { FileHandle } from 'node:fs/promises';
import { compactManifest, ManifestWriter, readLines } from './folder/folder-manifest.js';
import { LineReader } from './manifest/manifest-line.js';

/**
 * Appends a line to a file that other threads and processes append to as well. A file with further hard links is part
 * of a snapshot, and is replaced by a copy first.
 * @param line without its line feed. @throws system errors.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const writer = new ManifestWriter(path, () => compactManifest(path, scanLines));
  await writer.append(`${line}\n`).finally(() => writer.close());
}

async function scanLines(handle: FileHandle): Promise<{ live: Set<string>; end: number }> {
  const live = new Set<string>();
  const addLine = (line: string): void => {
    // The last of equal lines counts.
    live.delete(line);
    live.add(line);
  };
  const end = await readLines(handle, 0, new LineReader(addLine));
  return { live, end };
}
