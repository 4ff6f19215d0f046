import type { FileHandle } from 'node:fs/promises';
import { compactManifest } from './folder/compact-manifest.js';
import { forEachLine } from './folder/manifest-scan.js';
import { ManifestWriter } from './folder/manifest-writer.js';

/**
 * Appends a line to a file that other threads and processes append to as well. A file with further hard links is part
 * of a snapshot, and is replaced by a copy first.
 * @param line without its line feed. @throws system errors.
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const writer = new ManifestWriter(path, () => compactManifest(path, Date.now(), scanLines));
  await writer.append(`${line}\n`).finally(() => writer.close());
}

async function scanLines(handle: FileHandle): Promise<{ live: Set<string>; end: number }> {
  const live = new Set<string>();
  const { end } = await forEachLine(handle, 0, (line) => {
    // The last of equal lines counts.
    live.delete(line);
    live.add(line);
  });
  return { live, end };
}
