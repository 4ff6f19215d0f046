import { setMaxListeners } from 'node:events';
import { abortReason, TickhaulError } from '../base/errors.js';
import { fileError } from '../base/file-error.js';
import { secondsSince } from '../base/units.js';
import { type LayoutChoice, parseLayout } from '../dataset/layout.js';
import { type ConvertOptions, extensionOf } from '../format/options.js';
import type { EventSink, FileEvent, RunSummary } from '../run/events.js';
import { createTally } from '../run/tally.js';
import type { Files, StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import type { ComputedTarget } from './computed/file.js';
import type { FileResult } from './file.js';
import type { ConvertJob } from './job.js';
import { createDayFileLookup } from './naming/day-file-lookup.js';
import { findSources } from './naming/find.js';
import { type PlannedConversion, type PlannedOutput, planConversions } from './naming/plan.js';
import { type SourceSelection, selectSources } from './naming/select.js';
import { type ConversionNotes, openNotes } from './output/notes.js';
import { OUTPUT_BYTES } from './output/record.js';
import { type ConvertThread, convertHere, startConvertThread } from './threads/thread.js';
import { ROWS, type Wanted } from './wanted.js';

export interface ConvertInput extends SourceSelection {
  /** Day files, folders, prefixes, globs: locations. */
  readonly paths: readonly string[];
  readonly options: ConvertOptions;
  /** What is made of them; undefined for their rows as they are. */
  readonly wanted?: Wanted | undefined;
  /** Folder or prefix for the outputs; undefined for beside each source. */
  readonly out?: string | undefined;
  /** Where they go under it; undefined for flat, or beside each source. */
  readonly layout?: LayoutChoice | undefined;
  /** For all files; undefined where name or header tell it. */
  readonly dataType?: string | undefined;
  /** Files at once. */
  readonly jobs: number;
  readonly existing: 'skip' | 'overwrite';
  /** Whether sources stay once their conversion is whole. */
  readonly keepSource: boolean;
  readonly store?: StoreSettings | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Converts day files: one in this thread, with others to help it, several each in a thread of its own. Failed files are
 * told as events and in the summary.
 * @throws TickhaulError for what keeps the run from beginning: usage, the disk, a store.
 */
export async function convertFiles(input: ConvertInput): Promise<RunSummary> {
  const files = openFiles(input.store);
  try {
    return await convertIn(input, files);
  } finally {
    await files.close();
  }
}

async function convertIn(input: ConvertInput, files: Files): Promise<RunSummary> {
  const started = performance.now();
  const { options, out, layout, store, emit } = input;
  const placement = {
    out,
    layout: layout !== undefined || out !== undefined ? parseLayout(layout ?? 'flat') : undefined,
  };
  const found = await findSources(input.paths, { files, store }, input.signal);
  const dayFileOf = createDayFileLookup(files, store, input.signal);
  const sources = await selectSources(found, input, dayFileOf);
  const { conversions, unplaced, warnings } = await planConversions(sources, {
    files,
    wanted: input.wanted ?? ROWS,
    placement,
    extension: extensionOf(options),
    dataType: input.dataType,
    dayFileOf,
    signal: input.signal,
  });
  const outputs = conversions.reduce((sum, { outputs }) => sum + outputs.length, 0);
  const planned = { files: outputs + unplaced.length };
  emit({ event: 'plan', ...planned });
  for (const message of warnings) emit({ event: 'warning', message });
  const tally = createTally();
  const tell = (event: FileEvent): void => {
    tally.add(event);
    emit(event);
  };
  for (const { source, error } of unplaced) {
    const base = { event: 'file', status: 'failed', file: undefined, path: source, source } as const;
    tell({ ...base, error: fileError(error) });
  }
  const run = new Run(input, files, tell);
  const stopped = await run.work(conversions);
  return tally.summary({
    planned,
    stopped,
    strict: false,
    seconds: secondsSince(started),
  });
}

class Run {
  readonly #input: ConvertInput;
  readonly #files: Files;
  readonly #tell: (event: FileEvent) => void;
  readonly #notes = new Map<string, Promise<ConversionNotes>>();
  /** Files not begun yet, and threads at work. */
  #left = 0;
  #busy = 0;
  /** Aborted by the caller, by an error that no other file would be spared, or by a bug in one thread. */
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();

  constructor(input: ConvertInput, files: Files, tell: (event: FileEvent) => void) {
    this.#input = input;
    this.#files = files;
    this.#tell = tell;
    this.#signal = AbortSignal.any([input.signal, this.#stop.signal]);
    // Each thread listens to it, and that is no leak.
    setMaxListeners(0, this.#signal);
  }

  /** @returns why the run ended early, where it did. */
  async work(planned: readonly PlannedConversion[]): Promise<TickhaulError | undefined> {
    const queue = planned.values();
    this.#left = planned.length;
    const count = Math.min(this.#input.jobs, planned.length);
    // One file is done before threads that start for it pay, but for those that its size is worth.
    const start = (): ConvertThread =>
      planned.length === 1 ? convertHere(this.#files) : startConvertThread(this.#input.store);
    const served = Array.from({ length: count }, () => this.#serve(queue, start()));
    for (const thread of served) thread.catch((bug: unknown) => this.#stop.abort(bug));
    await Promise.allSettled(served);
    await Promise.all(served);
    return this.#signal.aborted ? abortReason(this.#signal) : undefined;
  }

  /** Converts one file after the other in one thread, until none is left. */
  async #serve(queue: Iterable<PlannedConversion>, thread: ConvertThread): Promise<void> {
    const signal = this.#signal;
    const abort = (): void => thread.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      for (const planned of queue) {
        if (signal.aborted) return;
        this.#left--;
        this.#busy++;
        await this.#convert(thread, planned);
        this.#busy--;
      }
    } finally {
      signal.removeEventListener('abort', abort);
      await thread.close();
    }
  }

  /** What is computed goes first: a source that isn't kept goes with the last of its outputs. */
  async #convert(thread: ConvertThread, planned: PlannedConversion): Promise<void> {
    const computed = planned.outputs.filter(({ type }) => type !== undefined);
    const rows = planned.outputs.filter(({ type }) => type === undefined);
    let keepSource = this.#input.keepSource || rows.length > 0;
    const isWhole = computed.length === 0 || (await this.#make(thread, planned, computed, keepSource));
    keepSource = this.#input.keepSource || !isWhole;
    if (rows.length > 0 && !this.#signal.aborted) await this.#make(thread, planned, rows, keepSource);
  }

  /** Makes outputs of a source in one job; returns whether they are whole. */
  async #make(
    thread: ConvertThread,
    planned: PlannedConversion,
    outputs: readonly PlannedOutput[],
    keepSource: boolean,
  ): Promise<boolean> {
    const { emit } = this.#input;
    const started = performance.now();
    const { source, file } = planned;
    const told = outputs.map(({ target: path }) => ({ event: 'file', file, path, source }) as const);
    for (const { path } of told) emit({ event: 'start', file, path });
    try {
      const results = await this.#makeIn(thread, planned, outputs, keepSource);
      for (const [i, { status, rows, bytes, warning }] of results.entries()) {
        if (warning !== undefined) emit({ event: 'warning', message: warning });
        const base = told[i];
        if (base) this.#tell({ ...base, status, rows, bytes, seconds: secondsSince(started) });
      }
      return true;
    } catch (error) {
      if (this.#signal.aborted) return false;
      if (!(error instanceof TickhaulError)) throw error;
      for (const base of told) {
        this.#tell({ ...base, status: 'failed', seconds: secondsSince(started), error: fileError(error) });
      }
      if (error.everyone) this.#stop.abort(error);
      return false;
    }
  }

  async #makeIn(
    thread: ConvertThread,
    planned: PlannedConversion,
    outputs: readonly PlannedOutput[],
    keepSource: boolean,
  ): Promise<readonly FileResult[]> {
    const { options, existing, emit } = this.#input;
    const notes = options.format === 'ndjson' ? await this.#notesOf(planned.root) : undefined;
    const noted = existing === 'skip' ? notes : undefined;
    const targets = await Promise.all(
      outputs.map(async (output) => ({ ...output, noted: await noted?.get(output.target) })),
    );
    const path = targets[0]?.target ?? '';
    let position = 0;
    const results = await thread.convert(this.#jobOf(planned, targets, keepSource), (received, total) => {
      position += received;
      emit({ event: 'progress', path, received, position, total });
    });
    for (const [i, { note, bytes }] of results.entries()) {
      const target = targets[i]?.target;
      if (note && target !== undefined) {
        await notes?.add(target, { ...note, [OUTPUT_BYTES]: String(bytes) });
      }
    }
    return results;
  }

  #jobOf(
    { source, file, dataType }: PlannedConversion,
    targets: readonly (PlannedOutput & Pick<ComputedTarget, 'noted'>)[],
    keepSource: boolean,
  ): ConvertJob {
    const { options, existing, jobs } = this.#input;
    const base = { source, dataType, options, existing, keepSource };
    const outputs = targets.flatMap(({ type, ...target }) => (type ? [{ type, ...target }] : []));
    if (outputs.length > 0) return { ...base, outputs, day: file?.day };
    const { target = '', noted } = targets[0] ?? {};
    return { ...base, target, noted, spare: jobs - this.#busy - this.#left };
  }

  #notesOf(root: string): Promise<ConversionNotes> {
    const notes = this.#notes.get(root) ?? openNotes(root, this.#files, this.#signal);
    this.#notes.set(root, notes);
    return notes;
  }
}
