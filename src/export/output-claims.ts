import { basename, posix } from 'node:path';
import { usageError } from '../base/errors.js';
import type { ExportRecord } from './export-record.js';
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

export interface ClaimRules {
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
