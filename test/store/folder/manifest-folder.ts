import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { TestContext } from 'node:test';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import type { Manifest } from '../../../src/store/manifest/manifest.js';
import { tempDir } from '../../helpers/temp.js';
import { toTestName } from '../manifest/records.js';

/** A folder for a manifest, removed after the test. */
export interface ManifestFolder {
  readonly dir: string;
  /** Path of the manifest, which does not exist yet. */
  readonly path: string;
  /** Warnings of all manifests opened with `open`. */
  readonly warnings: readonly string[];
  open(): Promise<Manifest>;
  /** Writes a manifest with this text. */
  writeRaw(text: string): Promise<void>;
  /**
   * Starts a process that appends records whose paths have a prefix, and prints a dot for each stored record.
   */
  startChild(prefix: string, count: number): ChildProcessByStdio<null, Readable, null>;
}

export async function manifestFolder(t: TestContext): Promise<ManifestFolder> {
  const dir = await tempDir(t);
  const path = join(dir, '.tickhaul', 'manifest.jsonl');
  const warnings: string[] = [];
  return {
    dir,
    path,
    warnings,
    open: () => openFolderManifest(dir, { warn: (message) => warnings.push(message) }),
    async writeRaw(text) {
      await mkdir(join(dir, '.tickhaul'), { recursive: true });
      await writeFile(path, text);
    },
    startChild(prefix, count) {
      const script = join(import.meta.dirname, 'append-child.js');
      return spawn(process.execPath, [script, dir, prefix, String(count)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    },
  };
}

/** The names of all paths in a manifest. */
export const paths = (manifest: Manifest): string[] =>
  [...manifest.records()].map((record) => toTestName(record.path));
