import { setMaxListeners } from 'node:events';
import { basename } from 'node:path';
import { usageError } from '../base/errors.js';
import { Semaphore } from '../base/semaphore.js';
import { plural } from '../base/units.js';
import { AsyncQueue } from '../base/wait.js';
import { DAY_FILE_EXTENSION } from '../day-files/day-file.js';
import type { RunSummary } from '../events/run-events.js';
import type { OutputOptions } from '../format/output-format.js';
import { hasDayFileExtension, OUTPUT_FORMATS } from '../format/output-formats.js';
import { barRulesOf, type ComputedType } from '../market/message-type-name.js';
import type { Files, StoredFileInfo } from '../store/files.js';
import { absoluteLocation, isObjectLocation, joinLocation, parentLocation } from '../store/location.js';
import { isSmallRun, openFiles, statSource } from '../store/open-files.js';
import type { ComputedContent, ComputeJob, ComputeRows } from './computed/computed-conversion.js';
import {
  type ConvertFileResult,
  convertSources,
  hashSource,
  type OnText,
  type ReadableSource,
  readUnchangedSource,
  removeIfUnchanged,
} from './convert-file.js';
import { type ConvertInput, computeInThread, withUploadRetries } from './convert-files.js';
import { CloseChain, ConvertRun } from './convert-run.js';
import {
  openProvenanceStore,
  type ProvenancePairs,
  type ProvenanceStore,
  readExistingOutput,
  skipUpToDate,
} from './existing-outputs.js';
import { createDayFileLookup } from './naming/day-file-lookup.js';
import { type ConvertSource, findSources, selectSources } from './naming/find-sources.js';
import {
  assertApartFromDayFiles,
  assertConversion,
  type PlannedSource,
  planOneFile,
} from './naming/plan-conversions.js';
import { OUTPUT_BYTES_KEY, parseSources, type SourceContent, type UnreadSource } from './provenance.js';
import { createKernels, MIN_BYTES_FOR_THREAD, planThreads } from './threads/kernel-pool.js';
import { clearKernels } from './threads/local-kernel.js';

export interface ConvertToFileInput extends Omit<ConvertInput, 'outputSelection' | 'out' | 'layout'> {
  /** The computed type; undefined for the rows. */
  readonly computed?: ComputedType | undefined;
  /** Location of the output. */
  readonly target: string;
}

/**
 * Converts all selected day files to one file, by day, then exchange and symbol. The file is complete or absent: if a
 * source fails, nothing is written, and an earlier file stays.
 * @throws TickhaulError if the run cannot start: `usage`, `disk`, errors of the store.
 */
export async function convertToFile(input: ConvertToFileInput): Promise<RunSummary> {
  const files = openFiles(input.store);
  try {
    return await convertToFileWith(input, files);
  } finally {
    clearKernels();
    await files.close();
  }
}

/** Does the same with open files. */
export async function convertToFileWith(input: ConvertToFileInput, files: Files): Promise<RunSummary> {
  const { target, store, emit, signal } = input;
  const symbols = input.selection?.symbols;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const found = await findSources(input.paths, { files, store, warn }, signal);
  const findDayFile = createDayFileLookup(files, store, signal);
  const others = await withoutTarget(found, input, files);
  const selected = await selectSources(others, input, { findDayFile, files, signal });
  if (hasDayFileExtension(input.options))
    await assertApartFromDayFiles(selected, parentLocation(target), files, signal);
  const hasSymbols = symbols !== undefined && !symbols.includes('all');
  const { sources, warnings } = await planOneFile(selected, { ...input, files, hasSymbols, findDayFile });
  // The sources may all be converted and deleted.
  if (sources.length === 0 && (selected.length > 0 || !(await files.stat(target, signal))))
    throw usageError(['there is no day file to convert', ...warnings].join('; '));
  const run = new ConvertRun(input);
  const outputs = sources.length === 0 ? [] : [sources];
  run.reportPlan(outputs.length, warnings);
  const stopped = await run.runAll(outputs, 1, async (sources) => {
    const plan = { sources, found };
    const paths = sources.map(({ path }) => path);
    await run.convertSource({ file: undefined, paths: [target], sources: paths }, async () => [
      await withUploadRetries(
        (onBytes) => new OneFileConversion({ ...input, signal: run.signal }, files, plan).run(onBytes),
        target,
        { emit, signal: run.signal },
      ),
    ]);
  });
  return run.summary(outputs.length, stopped);
}

/**
 * The sources but the output of an earlier run, which globs find too. Another file is a source, which must not be replaced.
 * @throws TickhaulError `usage` if the target is a day file.
 */
async function withoutTarget(
  sources: readonly ConvertSource[],
  { target, options, signal }: ConvertToFileInput,
  files: Files,
): Promise<readonly ConvertSource[]> {
  const location = absoluteLocation(target);
  const others = sources.filter(({ path }) => absoluteLocation(path) !== location);
  const isSource = others.length < sources.length;
  // A symbolic link of another name may lead to a day file.
  const isDayFile = target.endsWith(DAY_FILE_EXTENSION) && !hasDayFileExtension(options);
  if (!isSource && !(isDayFile && (await files.stat(target, signal)))) return others;
  const records = await openTargetRecords(target, options, files, signal);
  const provenance = await records?.get(target);
  const earlier = await readExistingOutput(files, { target, options, provenance }, signal);
  if (earlier && parseSources(earlier.pairs).length > 0) return others;
  const which = isSource ? 'it is one of the day files to read' : 'it is a day file';
  throw usageError(`${target}: ${which}, which the output would replace; name another file with -o`);
}

/** Provenance records, for formats without metadata. */
async function openTargetRecords(
  target: string,
  { format }: OutputOptions,
  files: Files,
  signal: AbortSignal,
): Promise<ProvenanceStore | undefined> {
  if (OUTPUT_FORMATS[format].hasMetadata) return undefined;
  return openProvenanceStore(parentLocation(target) ?? target, files, signal);
}

interface OneFilePlan {
  readonly sources: readonly PlannedSource[];
  readonly found: readonly ConvertSource[];
}

interface StoredSource extends PlannedSource {
  readonly found: StoredFileInfo;
}

class OneFileConversion {
  readonly #input: ConvertToFileInput;
  readonly #files: Files;
  readonly #planned: readonly PlannedSource[];
  /** All files of the given paths, selected or not. */
  readonly #found: readonly ConvertSource[];

  constructor(input: ConvertToFileInput, files: Files, plan: OneFilePlan) {
    this.#input = input;
    this.#files = files;
    this.#planned = plan.sources;
    this.#found = plan.found;
  }

  /** @param onBytes called with the number of compressed bytes just read, and the size of all sources. */
  async run(onBytes: (count: number, total: number) => void): Promise<ConvertFileResult> {
    const { target, existing, keepSource, options, signal } = this.#input;
    const records = await openTargetRecords(target, options, this.#files, signal);
    const sources = await this.#statSources();
    const isLikeDayFile = hasDayFileExtension(options);
    const provenance = existing === 'skip' || isLikeDayFile ? await records?.get(target) : undefined;
    if (isLikeDayFile) await assertConversion(target, provenance, this.#files, signal);
    let result = existing === 'skip' ? await this.#findUpToDate(sources, provenance) : undefined;
    if (!result) {
      const total = sources.reduce((sum, { found }) => sum + found.bytes, 0);
      result = await this.#convert(sources, total, (count) => onBytes(count, total));
      const { provenance = {}, bytes } = result;
      await records?.add(target, { ...provenance, [OUTPUT_BYTES_KEY]: String(bytes) });
    }
    return keepSource ? result : this.#removeSources(sources, result);
  }

  #statSources(): Promise<readonly StoredSource[]> {
    const { keepSource, signal } = this.#input;
    return Promise.all(
      this.#planned.map(async (source) => {
        const listed = keepSource ? source.info : undefined;
        return { ...source, found: listed ?? (await statSource(this.#files, source.path, signal)) };
      }),
    );
  }

  /** @throws TickhaulError `usage` if the file has rows of sources that are or will be removed; as `readExistingOutput`. */
  async #findUpToDate(
    sources: readonly StoredSource[],
    provenance: ProvenancePairs | undefined,
  ): Promise<ConvertFileResult | undefined> {
    const { target, computed, keepSource, options, signal } = this.#input;
    const files = this.#files;
    const expected = {
      target,
      dataType: computed?.name ?? sources[0]?.dataType,
      options: { ...options, ...barRulesOf(computed) },
      provenance,
    };
    const identities = sources.map(
      ({ path, found: { bytes, etag } }): UnreadSource => ({ name: basename(path), bytes, etag }),
    );
    const hash = (i: number): Promise<string> => hashSource(files, sources[i]?.path ?? '', signal);
    const found = await readExistingOutput(files, expected, signal);
    const upToDate = found && (await skipUpToDate(found, expected, identities, hash));
    if (upToDate) return upToDate;
    const present = new Set(identities.map(({ name }) => name));
    // A file that was changed may still have these rows.
    const changed = provenance && (await files.stat(target, signal)) ? provenance : undefined;
    const pairs = found?.pairs ?? changed;
    const others = pairs ? parseSources(pairs).flatMap(({ name }) => (present.has(name) ? [] : name)) : [];
    const lost = keepSource ? await this.#findRemoved(others) : others;
    if (lost.length === 0) return undefined;
    const which = keepSource
      ? 'that are not there any more'
      : 'that are not selected now, and --no-keep-source may have removed them';
    throw usageError(
      `${target}: has the rows of ${plural(lost.length, 'day file')} ${which}, such as ${lost[0]}; name another file, or use --existing overwrite`,
    );
  }

  /** The names that no file of the given paths, or beside a selected one, has. */
  async #findRemoved(names: readonly string[]): Promise<readonly string[]> {
    const found = new Set(this.#found.map(({ path }) => basename(path)));
    const folders = new Set(this.#planned.map(({ path }) => parentLocation(absoluteLocation(path)) ?? ''));
    const { signal } = this.#input;
    const removed: string[] = [];
    for (const name of names.filter((name) => !found.has(name))) {
      const places = [...folders].map((folder) => this.#files.stat(joinLocation(folder, name), signal));
      if (!(await Promise.all(places)).some((info) => info)) removed.push(name);
    }
    return removed;
  }

  async #removeSources(
    sources: readonly StoredSource[],
    result: ConvertFileResult,
  ): Promise<ConvertFileResult> {
    const changed: string[] = [];
    for (const { path, found } of sources)
      if (!(await removeIfUnchanged(this.#files, path, found, this.#input.signal))) changed.push(path);
    const [first] = changed;
    if (first === undefined) return result;
    const which = changed.length === 1 ? first : `${changed.length} day files, such as ${first}`;
    const warning = `${which}: changed during the conversion; not removed`;
    return { ...result, warning: [result.warning, warning].filter(Boolean).join('; ') };
  }

  async #convert(
    sources: readonly StoredSource[],
    totalBytes: number,
    onBytes: (count: number) => void,
  ): Promise<ConvertFileResult> {
    const { target, computed, jobs } = this.#input;
    const options = { ...this.#input.options, ...barRulesOf(computed) };
    const [first] = sources as readonly [StoredSource, ...StoredSource[]];
    const stop = new AbortController();
    const signal = AbortSignal.any([this.#input.signal, stop.signal]);
    setMaxListeners(0, signal);
    const warnings = new Set<string>();
    const readings = computed
      ? await this.#openComputations(sources, computed, { onBytes, warnings, signal })
      : this.#openTexts(sources, totalBytes / sources.length, onBytes, signal);
    const output = await this.#files.openPart(target, undefined, signal);
    const kernels = createKernels(planThreads(totalBytes, jobs - 1));
    const header = computed && (await importComputed()).computedHeader(computed);
    const input = { path: first.path, dataType: first.dataType, header, options, output, kernels };
    try {
      const { rows, bytes, provenance, warning } = await convertSources(input, readings, signal);
      if (warning !== undefined) warnings.add(warning);
      const text = warnings.size > 0 ? [...warnings].join('; ') : undefined;
      return { status: 'converted', rows, bytes, provenance, warning: text };
    } finally {
      stop.abort();
    }
  }

  /** Reads the texts of sources, each when it is converted. Small objects are requested ahead, which mostly waits. */
  #openTexts(
    sources: readonly StoredSource[],
    averageBytes: number,
    onBytes: (count: number) => void,
    signal: AbortSignal,
  ): readonly ReadableSource[] {
    const { jobs } = this.#input;
    const read = ({ path, found }: StoredSource, onText: OnText): Promise<SourceContent> => {
      const { inflateThreads } = planThreads(found.bytes, jobs - 1);
      return readUnchangedSource(this.#files, path, found, { onText, onBytes, inflateThreads, signal });
    };
    if (averageBytes < MIN_BYTES_FOR_THREAD && sources.some(({ path }) => isObjectLocation(path))) {
      const copy = (source: StoredSource, onText: OnText): Promise<SourceContent> =>
        read(source, (text) => onText(Buffer.from(text)));
      return readAhead(sources, copy, Math.max(jobs, MIN_OBJECTS_AT_ONCE), signal);
    }
    return sources.map((source) => ({ ...source, read: (onText) => read(source, onText) }));
  }

  /** Computes the rows of sources ahead, in threads; in this thread if that takes less time than starting them. */
  async #openComputations(
    sources: readonly StoredSource[],
    compute: ComputedType,
    { onBytes, warnings, signal }: ComputeEvents,
  ): Promise<readonly ReadableSource[]> {
    const { jobs, store } = this.#input;
    const paths = sources.map(({ path }) => path);
    const isHere = await isSmallRun(paths, this.#files, signal);
    const toJob = (
      { path, dataType, file, found }: StoredSource,
      previous: ComputeJob['previous'],
    ): ComputeJob => {
      const inflateThreads = isHere && jobs > 1 ? undefined : 0;
      return { compute, path, dataType, day: file?.day, previous, found, inflateThreads };
    };
    // Only filled bars need the day before, for which they wait.
    const chain = barRulesOf(compute).fill ? new CloseChain() : undefined;
    const run: ComputeRows = isHere
      ? async (job, receiver) => (await importComputed()).computeRows(job, this.#files, receiver)
      : computeInThread(store);
    const computeSource = async (source: StoredSource, onRows: OnText): Promise<SourceContent> => {
      const computeDay = (previous: ComputeJob['previous']): Promise<ComputedContent> =>
        run(toJob(source, previous), { onRows, onBytes, signal });
      const {
        warning,
        closes: _,
        ...content
      } = await (chain?.run(source.file, computeDay) ?? computeDay(undefined));
      if (warning !== undefined) warnings.add(warning);
      return content;
    };
    return isHere
      ? sources.map((source) => ({ ...source, read: (onText) => computeSource(source, onText) }))
      : readAhead(sources, computeSource, jobs, signal);
  }
}

interface ComputeEvents {
  readonly onBytes: (count: number) => void;
  /** Receives warnings about sources. */
  readonly warnings: Set<string>;
  readonly signal: AbortSignal;
}

function importComputed(): Promise<typeof import('./computed/computed-conversion.js')> {
  return import('./computed/computed-conversion.js');
}

/** Requests to a store at the same time, on a machine with few processors. */
const MIN_OBJECTS_AT_ONCE = 4;

/** Text in memory of sources that are read before it is their turn. */
const MAX_TEXT_AHEAD_BYTES = 128 * 1024 * 1024;

/**
 * Reads sources at the same time, some of them ahead of the one whose text is taken. A source that is far ahead waits
 * with its text.
 * @param read passes on the text of a source, which is not reused.
 * @param count sources read at the same time.
 */
function readAhead<Source extends Omit<ReadableSource, 'read'>>(
  sources: readonly Source[],
  read: (source: Source, onText: OnText) => Promise<SourceContent>,
  count: number,
  signal: AbortSignal,
): readonly ReadableSource[] {
  const slots = new Semaphore(count);
  const maxAhead = 2 * count;
  const start = (source: Source): ReadableSource['read'] => {
    const text = new AsyncQueue<{ readonly bytes: Uint8Array; readonly release: () => void }>();
    const room = new Semaphore(MAX_TEXT_AHEAD_BYTES / maxAhead);
    const reading = slots.run(() =>
      read(source, async (bytes) => {
        const release = await room.acquire(bytes.length, signal);
        text.push({ bytes, release });
      }),
    );
    reading.then(
      () => text.end(),
      (error: unknown) => text.end(error),
    );
    return async (onText) => {
      for (let next = await text.next(); next; next = await text.next()) {
        await onText(next.bytes);
        next.release();
      }
      return reading;
    };
  };
  const started: (ReadableSource['read'] | undefined)[] = [];
  return sources.map((source, i) => ({
    ...source,
    async read(onText) {
      for (const ahead of sources.slice(started.length, i + maxAhead)) started.push(start(ahead));
      const take = started[i];
      started[i] = undefined;
      if (!take) throw new Error(`${source.path}: is read twice`);
      return take(onText);
    },
  }));
}
