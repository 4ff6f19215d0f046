import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { abortReason, type TickhaulError } from '../errors.js';
import type { EventSink, FileEvent, FileStatus, PlanCounts, RunSummary } from '../events.js';
import type { Client } from '../service/client.js';
import { fetchDatasetRecord } from '../service/metadata.js';
import { type Manifest, openManifest } from '../store/manifest.js';
import { type LockOwner, tryLock } from '../store/run-lock.js';
import { createTally, type Tally } from '../tally.js';
import { autoConcurrency, fixedConcurrency } from './concurrency.js';
import { createPause } from './pause.js';
import { countPlan, makePlan, type Plan } from './plan.js';
import { createPool, type Pool } from './pool.js';
import { createRateLimit } from './rate.js';
import { settle } from './settle.js';
import type { TransferContext } from './transfer.js';
import type { DownloadOptions, PlannedFile, Selection } from './types.js';

export interface DownloadInput {
  readonly client: Client;
  /** Folder for copies of exchange records; without one, the service is asked each time. */
  readonly cache?: string | undefined;
  readonly selection: Selection;
  readonly options: DownloadOptions;
  /** Who runs, for the lock of the download folder. */
  readonly owner: LockOwner;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Works a selection out against the exchange's record and what stands on disk; nothing is downloaded. */
export async function openPlan(
  input: Omit<DownloadInput, 'owner'>,
): Promise<{ readonly plan: Plan; readonly manifest: Manifest }> {
  const { client, cache, selection, options, emit, signal } = input;
  const record = await fetchDatasetRecord(client, selection.exchange, { cache, signal });
  const warn = (message: string): void => emit({ event: 'warning', message });
  const manifest = await openManifest(options.dir, { warn });
  const hasKey = client.config.apiKey !== undefined;
  const plan = makePlan({
    selection,
    record,
    manifest,
    dir: options.dir,
    existing: options.existing,
    hasKey,
  });
  return { plan, manifest };
}

/**
 * Downloads what a selection names: plans it, brings each day file to disk whole and verified, and records it.
 * Failed files are told as events and in the summary.
 * @throws TickhaulError for what keeps the run from beginning: usage, an unreachable service, the disk.
 */
export async function download(input: DownloadInput): Promise<RunSummary> {
  const started = performance.now();
  const { options } = input;
  const { plan, manifest } = await openPlan(input);
  const lock = await tryLock(options.dir, input.owner);
  try {
    const tally = createTally();
    const run = new Run(
      input,
      manifest,
      lock ? undefined : `${input.owner.pid}-${randomUUID().slice(0, 8)}`,
      tally,
    );
    const { planned, stopped } = await run.work(plan);
    const seconds = Math.round(performance.now() - started) / 1000;
    return tally.summary({ planned, stopped, strict: options.strict, seconds });
  } finally {
    await manifest.close();
    await lock?.release();
  }
}

/** Files that show whether the key has access: the rest waits for the answers to them. */
const PROBES = 2;

class Run {
  readonly #input: DownloadInput;
  readonly #tally: Tally;
  readonly #context: TransferContext;
  readonly #pool: Pool;
  readonly #stop = new AbortController();
  /** Events that came before the plan was told; undefined from then on. */
  #held: FileEvent[] | undefined = [];
  #refused: TickhaulError[] = [];

  constructor(input: DownloadInput, manifest: Manifest, partSuffix: string | undefined, tally: Tally) {
    const { options, client, emit, signal } = input;
    const concurrency =
      options.concurrency === 'auto' ? autoConcurrency(Date.now()) : fixedConcurrency(options.concurrency);
    const stopped = AbortSignal.any([signal, this.#stop.signal]);
    // Each file in flight listens to it, and that is no leak.
    setMaxListeners(0, signal, stopped);
    this.#input = input;
    this.#tally = tally;
    this.#pool = createPool(concurrency);
    this.#context = {
      client,
      dir: options.dir,
      manifest,
      partSuffix,
      retries: options.retries,
      maxWaitMs: options.maxWaitMs,
      rate: createRateLimit(options.maxRate),
      pause: createPause(),
      concurrency,
      emit: (event) => {
        emit(event);
        if (event.event === 'progress') this.#pool.adjust();
      },
      signal: stopped,
    };
  }

  async work(plan: Plan): Promise<{ planned: PlanCounts | undefined; stopped: TickhaulError | undefined }> {
    const { signal } = this.#context;
    // Each count is taken before the run changes what it counts; the first requests don't wait for a large one.
    const counting = countPlan(plan.files(), signal).catch(() => undefined);
    const files = plan.files();
    const answers = [...first(files, PROBES)].map((planned) => this.#begin(planned));
    const planned = await counting;
    if (planned) this.#tellPlan(planned);
    await Promise.all(answers);
    const [refused] = this.#refused;
    if (refused && this.#refused.length === PROBES) this.#stop.abort(refused);
    for (const file of files) {
      if (signal.aborted) break;
      if (file.action === 'nothing') this.#tell(withoutWork(file));
      else await this.#pool.run(() => this.#settle(file));
    }
    await this.#pool.idle();
    return { planned, stopped: signal.aborted ? abortReason(signal) : undefined };
  }

  /** Resolves when the service answered for this file, or refused it, or there was nothing to ask. */
  #begin(planned: PlannedFile): Promise<void> {
    if (planned.action === 'nothing') {
      this.#tell(withoutWork(planned));
      return Promise.resolve();
    }
    return new Promise((answered) => {
      void this.#pool.run(() => this.#settle(planned, answered).finally(answered));
    });
  }

  async #settle(planned: PlannedFile, onAnswer: () => void = () => {}): Promise<void> {
    const settled = await settle(this.#context, planned, onAnswer);
    if (!settled) return;
    const { event, reason } = settled;
    this.#tell(event);
    if (reason?.code === 'no_access') this.#refused.push(reason);
    if (reason && (reason.everyone || this.#input.options.failFast)) this.#stop.abort(reason);
  }

  #tellPlan(counts: PlanCounts): void {
    this.#input.emit({ event: 'plan', ...counts });
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.#tell(event);
  }

  #tell(event: FileEvent): void {
    if (this.#held) {
      this.#held.push(event);
      return;
    }
    this.#tally.add(event);
    this.#input.emit(event);
  }
}

function* first<T>(items: Iterator<T>, count: number): Generator<T> {
  for (let i = 0; i < count; i++) {
    const next = items.next();
    if (next.done) return;
    yield next.value;
  }
}

const WITHOUT_WORK: Readonly<Partial<Record<PlannedFile['status'], FileStatus>>> = {
  pending: 'pending',
  unavailable: 'unavailable',
  unauthorized: 'unauthorized',
};

function withoutWork({ file, path, status }: PlannedFile): FileEvent {
  return { event: 'file', status: WITHOUT_WORK[status] ?? 'skipped', file, path };
}
