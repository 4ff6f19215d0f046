import { basename, posix } from 'node:path';
import { usageError } from '../base/errors.js';
import { plural } from '../base/units.js';
import { createDeferred } from '../base/wait.js';
import { GROUPED_SYMBOLS } from '../day-files/dataset-symbol.js';
import type { EventSink } from '../events/run-events.js';
import { hashFile } from '../gzip/checksums.js';
import type { Files } from '../store/files.js';
import type { ExportedFile, ExportRecord } from './export-log.js';
import type { ExportJob } from './export-target.js';

/** An output that a job has written. */
export interface ClaimedOutput {
  /** Relative to the output folder. */
  readonly path: string;
  /** As `OutputOwner.name`, if it is known. */
  readonly owner?: string | undefined;
}

/** An output, and the job that writes it. */
interface Claim extends ClaimedOutput {
  readonly key: string;
  /** Name of the job's first source. */
  readonly source: string;
}

interface ClaimRules {
  /** Whether a folder may have only one output of each day, all of one owner (`ExportTarget.hasDayFolders`). */
  readonly hasDays: boolean;
  /** Whether a job may replace what another one exported in an earlier run. */
  readonly replacesEarlier: boolean;
  /** Whether an output of an earlier run is still in the output folder. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** Outputs of a run and of earlier ones, so that no two jobs write the same data. */
export class OutputClaims {
  readonly #rules: ClaimRules;
  readonly #earlier = new Map<string, Claim>();
  readonly #current = new Map<string, Claim>();
  /** By folder, if folders have owners; those of this run also by the key of the job. */
  readonly #earlierOwners = new Map<string, Claim>();
  readonly #owners = new Map<string, Map<string, Claim>>();

  constructor(rules: ClaimRules) {
    this.#rules = rules;
  }

  /** Adds an output of an earlier run, with the record that made it. */
  addEarlier(path: string, { key, sources }: ExportRecord, owner?: string): void {
    const claim = { path, key, source: sources[0]?.name ?? key, owner };
    for (const slot of this.#slotsOf(claim)) this.#earlier.set(slot, claim);
    const folder = this.#folderOf(claim);
    if (folder !== undefined) this.#earlierOwners.set(folder, claim);
  }

  /**
   * Claims all outputs of a job, before they get their names; none of them if the job must not have one.
   * @throws usage error if another job has one of them, or if another owner has its folder; errors of the store.
   */
  async claim({ key, sources }: ExportJob, outputs: readonly ClaimedOutput[]): Promise<void> {
    const source = basename(sources[0]?.path ?? key);
    const claims = outputs.map(({ path, owner }) => ({ path, owner, key, source }));
    for (const claim of claims) await this.#checkEarlier(claim);
    // From here on nothing waits, so that of two jobs one gets all of its outputs.
    for (const claim of claims) this.#checkCurrent(claim);
    for (const claim of claims) {
      for (const slot of this.#slotsOf(claim)) this.#current.set(slot, claim);
      const folder = this.#folderOf(claim);
      if (folder === undefined) continue;
      this.#owners.set(folder, (this.#owners.get(folder) ?? new Map<string, Claim>()).set(key, claim));
    }
  }

  /** Drops what a job has claimed in this run; what it exported earlier stays in the output folder. */
  release({ key }: ExportJob): void {
    for (const [slot, claim] of this.#current) if (claim.key === key) this.#current.delete(slot);
    for (const claims of this.#owners.values()) claims.delete(key);
  }

  /** Outputs that other jobs wrote in earlier runs, and in whose place a job has others now. */
  listDisplaced({ key }: ExportJob, paths: ReadonlySet<string>): readonly string[] {
    return [...paths].flatMap((path) =>
      this.#slotsOf({ path, key }).flatMap((slot) => {
        const earlier = this.#earlier.get(slot);
        return earlier && earlier.key !== key && !paths.has(earlier.path) ? [earlier.path] : [];
      }),
    );
  }

  /** @throws usage error if another job has an output of the claim since an earlier run; errors of the store. */
  async #checkEarlier(claim: Claim): Promise<void> {
    const { replacesEarlier, exists } = this.#rules;
    for (const slot of replacesEarlier ? [] : this.#slotsOf(claim)) {
      const earlier = this.#earlier.get(slot);
      if (earlier && earlier.key !== claim.key && (await exists(earlier.path)))
        throw createEarlierError(claim, earlier);
    }
    // Outputs of other days in the folder of another owner are not replaced.
    const folder = this.#folderOf(claim);
    const earlier = folder === undefined ? undefined : this.#earlierOwners.get(folder);
    if (folder !== undefined && earlier && isOtherOwner(claim, earlier) && (await exists(earlier.path)))
      throw createOwnerError(folder, claim, earlier);
  }

  /** @throws usage error if another job of this run has an output of the claim. */
  #checkCurrent(claim: Claim): void {
    for (const slot of this.#slotsOf(claim)) {
      const other = this.#current.get(slot);
      if (other && other.key !== claim.key) throw createClaimError(claim, other);
    }
    const folder = this.#folderOf(claim);
    const claims = folder === undefined ? undefined : this.#owners.get(folder);
    const other = [...(claims?.values() ?? [])].find((current) => isOtherOwner(claim, current));
    if (folder !== undefined && other) throw createOwnerError(folder, claim, other);
  }

  /** The folder of an output if folders have owners, and its owner is known. */
  #folderOf({ path, owner }: ClaimedOutput): string | undefined {
    return this.#rules.hasDays && owner !== undefined ? posix.dirname(path) : undefined;
  }

  /** What only one job may have: the path, and the day in its folder. */
  #slotsOf({ path, key }: Pick<Claim, 'path' | 'key'>): readonly string[] {
    return this.#rules.hasDays ? [path, `${posix.dirname(path)} ${posix.basename(key)}`] : [path];
  }
}

function isOtherOwner(claim: Claim, other: Claim): boolean {
  return other.key !== claim.key && other.owner !== claim.owner;
}

function createClaimError({ source }: Claim, { path, source: other }: Claim): Error {
  return usageError(`${path}: both ${other} and ${source} give this data; select one with -s or -t`);
}

function createOwnerError(folder: string, claim: Claim, other: Claim): Error {
  const [has, needs] = [other, claim].map(({ owner, source }) => `${owner} of ${source}`);
  return usageError(
    `${folder}: has ${has}, and ${needs} needs the same folder; write the second to another folder, or name it with --instrument-id`,
  );
}

function createEarlierError({ source }: Claim, earlier: Claim): Error {
  const both = `${earlier.path}: both ${earlier.source} and ${source} give this data`;
  return usageError(
    `${both}, and the first was exported before; leave out the second, write it to another folder, or replace the first with export --existing overwrite`,
  );
}

/** When a job of a run may claim outputs. */
interface ClaimTurn {
  /** Resolves when the earlier jobs that may have the same outputs have ended. */
  readonly start: Promise<unknown>;
  /** Call it when the job has ended, after it released its claims if it failed. */
  end(): void;
}

/**
 * Makes the jobs of a run claim their outputs in the order of the plan, so that of two with the same output the earlier
 * one has it, in any number of threads.
 */
export class ClaimOrder {
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Adds a job. A file of a symbol and a file of a grouped symbol of one place wait for each other. */
  add({ place, sources }: ExportJob): ClaimTurn {
    const ended = createDeferred<void>();
    if (place === undefined) return { start: Promise.resolve(), end: ended.resolve };
    const isGroup = GROUPED_SYMBOLS.has(sources[0]?.file.symbol ?? '');
    const slot = `${isGroup} ${place}`;
    this.#ends.set(slot, Promise.all([this.#ends.get(slot), ended.promise]));
    return { start: Promise.resolve(this.#ends.get(`${!isGroup} ${place}`)), end: ended.resolve };
  }
}

/** How former outputs are removed, and reported. */
interface RemovalContext {
  readonly files: Files;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Removes an output of a former export. A file with other bytes than recorded may be another program's, such as candles
 * that freqtrade downloaded to the same path, so it stays, with a warning.
 * @throws TickhaulError `disk`; errors of the store.
 */
export async function removeFormerOutput(
  location: string,
  recorded: ExportedFile,
  context: RemovalContext,
): Promise<void> {
  const { files, emit, signal } = context;
  const found = await files.stat(location, signal);
  if (!found) return;
  const change = await findChange(location, found.bytes, recorded, context);
  if (change !== undefined) {
    const message = `${location}: keeping this output of a former export: it ${change}; delete it if you do not need it`;
    return emit({ event: 'warning', message });
  }
  await files.remove(location, signal);
  emit({ event: 'note', message: `${location}: removed this output of a former export` });
}

/** How a file differs from its record; undefined if it does not. */
async function findChange(
  location: string,
  bytes: number,
  recorded: ExportedFile,
  { files, signal }: RemovalContext,
): Promise<string | undefined> {
  if (bytes !== recorded.bytes) return `has ${plural(bytes, 'byte')}, ${recorded.bytes} were recorded`;
  try {
    const sha256 = await hashFile(location, 'sha256', { read: files.read, signal });
    return sha256 === recorded.sha256 ? undefined : 'does not have the recorded sha256';
  } catch {
    signal.throwIfAborted();
    return 'cannot be read';
  }
}
