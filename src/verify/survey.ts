import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSystemError, usageError } from '../base/errors.js';
import { DAY_FILE_EXTENSION, type DayFile } from '../dataset/day-file.js';
import { dayFileOfName } from '../dataset/day-file-name.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { parsePartPath } from '../store/part.js';
import { walkFiles } from '../store/walk.js';
import type { Recorded } from './recorded.js';
import type { Scope } from './scope.js';

/** What stands in a folder that its manifest doesn't tell of. Paths are relative to it, with `/`. */
export interface Survey {
  /** Day files. */
  readonly unknown: readonly string[];
  /** What conversions made, by hand: of those of a download, the manifest tells. */
  readonly outputs: readonly string[];
  readonly parts: readonly string[];
}

/** Looks through a folder. @throws usage error for a path that neither the disk nor the manifest knows; `disk`. */
export async function surveyFolder(
  dir: string,
  scope: Scope,
  manifest: Manifest,
  { roots, conversions }: Recorded,
  signal: AbortSignal,
): Promise<Survey> {
  const unknown: string[] = [];
  const outputs: string[] = [];
  const parts: string[] = [];
  const isMeant = (path: string): boolean => scope.wants(namedFile(path));
  const sort = (path: string): void => {
    if (path.endsWith('.part')) {
      if (isMeant(path)) parts.push(path);
    } else if (path.endsWith(DAY_FILE_EXTENSION)) {
      if (!manifest.has(path) && isMeant(path)) unknown.push(path);
    } else if (outputKind(path) !== undefined && !conversions.has(path) && isMeant(path)) outputs.push(path);
  };
  for (const root of scope.roots) {
    for await (const paths of filesAt(dir, root, roots.has(root), signal)) {
      for (const path of paths) sort(path);
    }
  }
  return { unknown, outputs, parts };
}

/** The day file that a file's name tells: of a day file, of a conversion's output, or of a part of either. */
function namedFile(path: string): DayFile | undefined {
  const whole = parsePartPath(path)?.finalPath ?? path;
  return dayFileOfName(whole.replace(OUTPUT, DAY_FILE_EXTENSION));
}

const OUTPUT = /\.(?:parquet|ndjson(?:\.gz|\.zst)?)$/;

/** By what a conversion's output is named. */
export function outputKind(path: string): 'parquet' | 'ndjson' | undefined {
  if (path.endsWith('.parquet')) return 'parquet';
  return /\.ndjson(\.gz|\.zst)?$/.test(path) ? 'ndjson' : undefined;
}

async function* filesAt(
  dir: string,
  root: string,
  isRecorded: boolean,
  signal: AbortSignal,
): AsyncGenerator<readonly string[]> {
  const path = join(dir, root);
  const stats = await stat(path).catch((error: unknown) => {
    if (isSystemError(error)) return undefined;
    throw error;
  });
  if (stats?.isDirectory()) yield* walkFiles(dir, root, signal);
  else if (stats) yield [root];
  else if (!isRecorded) throw usageError(`${path}: there is no such file or folder, and no record of one`);
}
