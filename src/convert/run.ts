import { setMaxListeners } from 'node:events';
import { abortReason, TickhaulError } from '../base/errors.js';
import { fileError } from '../base/file-error.js';
import { secondsSince } from '../base/units.js';
import type { DayFile } from '../dataset/day-file.js';
import { parseLayout } from '../dataset/layout.js';
import { type ConvertOptions, extensionOf } from '../format/options.js';
import type { EventSink, FileEvent, RunSummary } from '../run/events.js';
import { createTally } from '../run/tally.js';
import type { FileResult } from './file.js';
import { findSources } from './naming/find.js';
import { type PlannedConversion, planConversions } from './naming/plan.js';
import { type ConversionNotes, openNotes } from './output/notes.js';
import { OUTPUT_BYTES } from './output/record.js';
import { type ConvertThread, startConvertThread } from './threads/thread.js';

export interface ConvertInput {
  /** Day files, folders, globs. */
  readonly paths: readonly string[];
  readonly options: ConvertOptions;
  /** Folder for the outputs; undefined for beside each source. */
  readonly out?: string | undefined;
  /** Where they go under it; undefined for flat, or beside each source. */
  readonly layout?: string | undefined;
  /** For all files; undefined where name or header tell it. */
  readonly dataType?: string | undefined;
  /** Files at once. */
  readonly jobs: number;
  readonly existing: 'skip' | 'overwrite';
  /** Whether sources stay once their conversion is whole. */
  readonly keepSource: boolean;
  /** Asked for a file whose name doesn't tell which one it is. */
  readonly dayFileOf?: ((path: string) => Promise<DayFile | undefined>) | undefined;
  /** One that was started beforehand, as that takes a while; the caller closes it, whatever happens. */
  readonly thread?: ConvertThread | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Converts day files, each in a thread of its own. Failed files are told as events and in the summary.
 * @throws TickhaulError for what keeps the run from beginning: usage, the disk.
 */
export async function convertFiles(input: ConvertInput): Promise<RunSummary> {
  const started = performance.now();
  const { options, out, layout, emit } = input;
  const placement = {
    out,
    layout: layout !== undefined || out !== undefined ? parseLayout(layout ?? 'flat') : undefined,
  };
  const sources = await findSources(input.paths, input.signal);
  const planned = await planConversions(sources, placement, extensionOf(options), input.dayFileOf);
  emit({ event: 'plan', files: planned.length });
  const tally = createTally();
  const run = new Run(input, (event) => {
    tally.add(event);
    emit(event);
  });
  const stopped = await run.work(planned);
  return tally.summary({
    planned: { files: planned.length },
    stopped,
    strict: false,
    seconds: secondsSince(started),
  });
}

class Run {
  readonly #input: ConvertInput;
  readonly #tell: (event: FileEvent) => void;
  #thread: ConvertThread | undefined;
  readonly #notes = new Map<string, Promise<ConversionNotes>>();
  /** Files not begun yet, and threads at work. */
  #left = 0;
  #busy = 0;
  /** Aborted by the caller, by an error that no other file would be spared, or by a bug in one thread. */
  readonly #signal: AbortSignal;
  readonly #stop = new AbortController();

  constructor(input: ConvertInput, tell: (event: FileEvent) => void) {
    this.#input = input;
    this.#tell = tell;
    this.#thread = input.thread;
    this.#signal = AbortSignal.any([input.signal, this.#stop.signal]);
    // Each thread listens to it, and that is no leak.
    setMaxListeners(0, this.#signal);
  }

  /** @returns why the run ended early, where it did. */
  async work(planned: readonly PlannedConversion[]): Promise<TickhaulError | undefined> {
    const queue = planned.values();
    this.#left = planned.length;
    const count = Math.min(this.#input.jobs, planned.length);
    const served = Array.from({ length: count }, () => this.#serve(queue));
    for (const thread of served) thread.catch((bug: unknown) => this.#stop.abort(bug));
    await Promise.allSettled(served);
    await Promise.all(served);
    return this.#signal.aborted ? abortReason(this.#signal) : undefined;
  }

  /** Converts one file after the other in one thread, until none is left. */
  async #serve(queue: Iterator<PlannedConversion> & Iterable<PlannedConversion>): Promise<void> {
    const signal = this.#signal;
    const thread = this.#thread ?? startConvertThread();
    this.#thread = undefined;
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

  async #convert(thread: ConvertThread, planned: PlannedConversion): Promise<void> {
    const { emit } = this.#input;
    const started = performance.now();
    const { source, file, target: path } = planned;
    const base = { event: 'file', file, path, source } as const;
    emit({ event: 'start', file, path });
    try {
      const { status, rows, bytes, warning } = await this.#convertIn(thread, planned);
      if (warning !== undefined) emit({ event: 'warning', message: warning });
      this.#tell({ ...base, status, rows, bytes, seconds: secondsSince(started) });
    } catch (error) {
      if (this.#signal.aborted) return;
      if (!(error instanceof TickhaulError)) throw error;
      this.#tell({ ...base, status: 'failed', seconds: secondsSince(started), error: fileError(error) });
      if (error.everyone) this.#stop.abort(error);
    }
  }

  async #convertIn(
    thread: ConvertThread,
    { source, file, root, target }: PlannedConversion,
  ): Promise<FileResult> {
    const { options, existing, keepSource, dataType, jobs, emit } = this.#input;
    const notes = options.format === 'ndjson' ? await this.#notesOf(root) : undefined;
    let position = 0;
    const result = await thread.convert(
      {
        source,
        target,
        dataType: dataType ?? file?.dataType,
        options,
        existing,
        keepSource,
        spareThread: this.#busy + this.#left < jobs,
        noted: notes?.get(target),
      },
      (received, total) => {
        position += received;
        emit({ event: 'progress', path: target, received, position, total });
      },
    );
    if (result.note) await notes?.add(target, { ...result.note, [OUTPUT_BYTES]: String(result.bytes) });
    return result;
  }

  #notesOf(root: string): Promise<ConversionNotes> {
    const notes = this.#notes.get(root) ?? openNotes(root);
    this.#notes.set(root, notes);
    return notes;
  }
}
