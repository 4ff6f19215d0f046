import { join, relative } from 'node:path';
import { createFolder, readRegular } from '../base/disk-files.js';
import { isSystemError, TickhaulError, toDiskError } from '../base/errors.js';
import { parseShallowJson } from '../base/json-depth.js';
import { STATE_FOLDER } from '../day-files/day-file.js';
import { describeOlderKeys } from '../day-files/layout.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import { appendLine } from '../store/append-line.js';
import { type Files, readTextAt, type StoreSettings, writeTextsAt } from '../store/files.js';
import { isObjectLocation, joinLocation, parentLocation, relativeLocation } from '../store/location.js';
import { openDestination } from '../store/open-destination.js';
import type { ConversionOutput } from './naming/plan-conversions.js';
import {
  type ContentOptions,
  isUpToDate,
  OUTPUT_BYTES_KEY,
  parseRowCount,
  type UnreadSource,
} from './provenance.js';

export interface ExpectedOutput {
  readonly target: string;
  /** Data type or computed type; undefined if it must be read from the header. */
  readonly dataType: string | undefined;
  readonly options: ContentOptions;
  /** Provenance record of an existing output whose format has no metadata. */
  readonly provenance: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the existing output if it is up to date. One that cannot be read is not.
 * @param md5 called with the position of a source, only if all else matches.
 */
export async function findUpToDateOutput(
  files: Files,
  expected: ExpectedOutput,
  sources: readonly UnreadSource[],
  md5: (index: number) => Promise<string>,
  signal: AbortSignal,
): Promise<SkippedOutput | undefined> {
  const found = await readExistingOutput(files, expected, signal).catch((error: unknown) => {
    if (error instanceof TickhaulError || isSystemError(error)) return undefined;
    throw error;
  });
  return found && skipUpToDate(found, expected, sources, md5);
}

interface SkippedOutput {
  readonly status: 'skipped';
  readonly rows: number;
  readonly bytes: number;
}

/**
 * The result for an existing output that is up to date; undefined if it is not.
 * @param md5 as for `findUpToDateOutput`.
 */
export async function skipUpToDate(
  { bytes, pairs }: ExistingOutput,
  { dataType, options }: ExpectedOutput,
  sources: readonly UnreadSource[],
  md5: (index: number) => Promise<string>,
): Promise<SkippedOutput | undefined> {
  const isSame = await isUpToDate(pairs, sources, dataType, options, md5);
  return isSame ? { status: 'skipped', rows: parseRowCount(pairs), bytes } : undefined;
}

/** An existing output and its provenance record. */
interface ExistingOutput {
  readonly bytes: number;
  readonly pairs: Readonly<Record<string, string>>;
}

/**
 * The output at the target; undefined if there is none of the format with a record.
 * @throws TickhaulError `disk`, `store_down` …: there may be one.
 */
export async function readExistingOutput(
  files: Files,
  { target, options, provenance }: Omit<ExpectedOutput, 'dataType'>,
  signal: AbortSignal,
): Promise<ExistingOutput | undefined> {
  const format = OUTPUT_FORMATS[options.format];
  if (!format.hasMetadata) {
    // Without metadata, the size shows whether the output is complete.
    const bytes = provenance && (await files.stat(target, signal))?.bytes;
    const isComplete = bytes !== undefined && provenance?.[OUTPUT_BYTES_KEY] === String(bytes);
    return isComplete ? { bytes, pairs: provenance } : undefined;
  }
  try {
    const { bytes, keyValues } = await format.readFacts(target, files, signal);
    return keyValues && { bytes, pairs: keyValues };
  } catch (error) {
    const code = error instanceof TickhaulError ? error.code : undefined;
    // A file of another format, or credentials that may not even look for one.
    if (code === 'corrupt' || code === 'store_refused') return undefined;
    // The conversion reports what is in the way, such as a folder.
    if (!(await files.stat(target, signal))) return undefined;
    throw toDiskError(error, target);
  }
}

export type ProvenancePairs = Readonly<Record<string, string>>;

/**
 * Provenance records of the outputs under a folder or prefix, for formats without metadata
 * (docs/spec/ndjson-mapping.md#conversion-notes). Records may be lost: files are then converted again.
 */
export interface ProvenanceStore {
  get(target: string): Promise<ProvenancePairs | undefined>;
  /** @throws TickhaulError `disk`, errors of the store. */
  add(target: string, pairs: ProvenancePairs): Promise<void>;
}

/**
 * Opens the records of a folder or prefix.
 * @param signal aborts requests to the store.
 * @throws TickhaulError `disk`.
 */
export async function openProvenanceStore(
  root: string,
  files: Files,
  signal: AbortSignal,
): Promise<ProvenanceStore> {
  return isObjectLocation(root) ? openObjectProvenance(root, files, signal) : openFolderProvenance(root);
}

/** `.tickhaul/conversions.jsonl`: one JSON object per line; the last line of a path wins. */
async function openFolderProvenance(root: string): Promise<ProvenanceStore> {
  const path = join(root, STATE_FOLDER, 'conversions.jsonl');
  const toKey = (target: string): string => relative(root, target).replaceAll('\\', '/');
  const records = new Map((await readLines(path)).flatMap(parseProvenanceLine));
  return {
    get: async (target) => records.get(toKey(target)),
    async add(target, pairs) {
      records.set(toKey(target), pairs);
      try {
        await createFolder(join(root, STATE_FOLDER));
        await appendLine(path, JSON.stringify({ path: toKey(target), ...pairs }));
      } catch (error) {
        throw toDiskError(error, path);
      }
    },
  };
}

/** Objects cannot be appended to, so each output has its own record, `.tickhaul/conversions/<path>.json`. */
function openObjectProvenance(root: string, files: Files, signal: AbortSignal): ProvenanceStore {
  const prefix = joinLocation(root, '');
  const toPath = (target: string): string => target.slice(prefix.length);
  const toProvenanceLocation = (target: string): string =>
    joinLocation(root, `${STATE_FOLDER}/conversions/${toPath(target)}.json`);
  return {
    async get(target) {
      const text = await readTextAt(files, toProvenanceLocation(target), signal);
      return text === undefined ? undefined : parseProvenanceLine(text)[0]?.[1];
    },
    add(target, pairs) {
      const line = `${JSON.stringify({ path: toPath(target), ...pairs })}\n`;
      return writeTextsAt(files, toProvenanceLocation(target), [line], signal);
    },
  };
}

async function readLines(path: string): Promise<readonly string[]> {
  try {
    return (await readRegular(path)).split('\n');
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return [];
    throw toDiskError(error, path);
  }
}

/** Empty for a line that is empty or was cut off by a crash. */
function parseProvenanceLine(line: string): readonly (readonly [string, ProvenancePairs])[] {
  try {
    const { path, ...pairs } = parseShallowJson(line) as Record<string, string>;
    return path === undefined ? [] : [[path, pairs]];
  } catch {
    return [];
  }
}

/**
 * The location of an output: its target, or where an earlier version wrote it under the older keys of the layout `hive`.
 * @param root the folder that contains both.
 */
export type LocateOutput = (output: ConversionOutput, root: string) => Promise<string>;

/** @param warn receives one warning, at the first output under the older keys. */
export function createOutputLocator(
  files: Files,
  store: StoreSettings | undefined,
  warn: (message: string) => void,
  signal: AbortSignal,
): LocateOutput {
  /** Whether there are files below a folder `exchange=…/type=…`. Without any, no output is looked up. */
  const foundByFolder = new Map<string, Promise<boolean>>();
  let hasWarned = false;

  const hasFiles = (folder: string, root: string): Promise<boolean> => {
    const found = foundByFolder.get(folder) ?? listAny(root, relativeLocation(root, folder) ?? '');
    foundByFolder.set(folder, found);
    return found;
  };
  const listAny = async (root: string, under: string): Promise<boolean> => {
    const destination = await openDestination(root, store, signal);
    try {
      for await (const page of destination.list(under, signal)) if (page.length > 0) return true;
      return false;
    } finally {
      await destination.close();
    }
  };

  const isOlder = async (target: string, olderTarget: string, root: string): Promise<boolean> => {
    const folder = findTypeFolder(olderTarget);
    if (folder === undefined || !(await hasFiles(folder, root))) return false;
    return !(await files.stat(target, signal)) && (await files.stat(olderTarget, signal)) !== undefined;
  };

  return async ({ target, olderTarget }, root) => {
    try {
      if (olderTarget === undefined || !(await isOlder(target, olderTarget, root))) return target;
    } catch (error) {
      // The conversion reports an error of the disk or the store. It needs no permission to list.
      if (error instanceof TickhaulError) return target;
      throw error;
    }
    if (!hasWarned) warn(describeOlderKeys(root));
    hasWarned = true;
    return olderTarget;
  };
}

/** The folder `exchange=…/type=…` of a path `exchange=…/type=…/symbol=…/date=…/name`. */
function findTypeFolder(target: string): string | undefined {
  let folder: string | undefined = target;
  for (let level = 0; level < 3; level++) folder = folder === undefined ? undefined : parentLocation(folder);
  return folder;
}
