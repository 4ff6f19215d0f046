import { type TickhaulError, usageError } from '../base/errors.js';
import type { DayFile } from '../dataset/day-file.js';
import { parseDayFileName } from '../dataset/parse-day-file-name.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { isInside } from '../store/paths.js';
import type { SeriesDayIndex } from './amend/series-day-index.js';
import { createOutputChecks, createRecordedChecks, createUnknownFileChecks } from './check/create-checks.js';
import type { FileCheck } from './file-check.js';
import { type FolderContents, listFolderContents } from './folder-contents.js';
import { readRecordedFiles } from './recorded-files.js';
import type { VerifyInput } from './verify-input.js';
import { createVerifyScope, type VerifyScope } from './verify-scope.js';

/** One check of a folder: what there is, and what is to be done with it. */
export interface Verification {
  readonly input: VerifyInput;
  readonly manifest: Manifest;
  readonly scope: VerifyScope;
  readonly contents: FolderContents;
  /** Files that the manifest doesn't know and whose names tell which day file they are. */
  readonly identified: ReadonlyMap<string, DayFile>;
  /** Files to check. */
  readonly files: number;
  readonly days: SeriesDayIndex;
  /** They are made anew at each call, as there may be a million. */
  checks(): Iterable<FileCheck>;
}

/** Looks through the folder. @throws TickhaulError `createUsage` for a path that isn't there; `disk`. */
export async function openVerification(input: VerifyInput, manifest: Manifest): Promise<Verification> {
  const { destination, adopt, quick, signal } = input;
  const scope = createVerifyScope(input.paths, input.selection, input.shard);
  const recorded = readRecordedFiles(manifest, scope);
  const found = await listFolderContents(destination, scope, manifest, recorded, signal);
  if (manifest.size === 0 && found.listed?.size === 0) throw createEmptyStoreError(destination);
  const survey = { ...found, unknown: await dropRecorded(manifest, found.unknown, signal) };
  scope.assertAllMatched();
  const tellable = new Map(
    survey.unknown.flatMap((path) => {
      // A record under another path would be passed over.
      const file = isInside(path) ? parseDayFileName(path) : undefined;
      return file ? [[path, file] as const] : [];
    }),
  );
  function* checks(): Generator<FileCheck> {
    yield* createRecordedChecks(manifest, scope);
    // What nobody recorded has no size to compare.
    if (!quick) yield* createOutputChecks(survey.outputs);
    if (adopt) yield* createUnknownFileChecks(tellable);
  }
  const unrecorded = (quick ? 0 : survey.outputs.length) + (adopt ? tellable.size : 0);
  const files = recorded.files + unrecorded;
  return { input, manifest, scope, contents: survey, identified: tellable, files, days: recorded.days, checks };
}

/** Another run may have recorded a file since the manifest was read. */
async function dropRecorded(
  manifest: Manifest,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (paths.length === 0) return paths;
  const now = await manifest.reread(undefined, signal);
  return paths.filter((path) => !now.has(path));
}

/** A store has no folders: where nothing begins with a prefix, it is a slip. */
function createEmptyStoreError({ name }: Destination): TickhaulError {
  return usageError(
    `${name}: nothing is there; name the bucket and the prefix of a download with --dir, and what of it to check as a path below`,
  );
}
