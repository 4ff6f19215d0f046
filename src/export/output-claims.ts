import { basename, posix } from 'node:path';
import { usageError } from '../base/errors.js';
import type { ExportRecord } from './export-record.js';
import type { ExportJob } from './export-target.js';

/** An output, and the job that writes it. */
interface Claim {
  readonly path: string;
  readonly key: string;
  /** Name of the job's first source. */
  readonly source: string;
  /** As `OutputOwner.name`, if it is known. */
  readonly owner?: string | undefined;
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
    if (this.#rules.hasDays && owner !== undefined) this.#earlierOwners.set(posix.dirname(path), claim);
  }

  /**
   * Claims outputs of a job. If it must not have one of them, it loses all of its claims of this run.
   * @param owner of all of them, if it is known.
   * @throws usage error if another job has one of them, or if another owner has its folder; errors of the store.
   */
  async claim(job: ExportJob, paths: readonly string[], owner?: string): Promise<void> {
    const { key, sources } = job;
    const source = basename(sources[0]?.path ?? key);
    try {
      for (const path of paths) {
        const claim = { path, key, source, owner };
        for (const slot of this.#slotsOf(claim)) await this.#claimSlot(slot, claim);
        if (this.#rules.hasDays && owner !== undefined) await this.#claimFolder(claim);
      }
    } catch (error) {
      this.release(job);
      throw error;
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

  async #claimSlot(slot: string, claim: Claim): Promise<void> {
    const { replacesEarlier, exists } = this.#rules;
    const earlier = this.#earlier.get(slot);
    const isOthers = earlier && earlier.key !== claim.key && !replacesEarlier;
    if (isOthers && (await exists(earlier.path))) throw createEarlierError(claim, earlier);
    const other = this.#current.get(slot);
    if (other && other.key !== claim.key) throw createClaimError(claim, other);
    this.#current.set(slot, claim);
  }

  /** Outputs of other days in the folder of another owner are not replaced. */
  async #claimFolder(claim: Claim): Promise<void> {
    const folder = posix.dirname(claim.path);
    const isOthers = ({ key, owner }: Claim): boolean => key !== claim.key && owner !== claim.owner;
    const earlier = this.#earlierOwners.get(folder);
    if (earlier && isOthers(earlier) && (await this.#rules.exists(earlier.path)))
      throw createOwnerError(folder, claim, earlier);
    const claims = this.#owners.get(folder) ?? new Map<string, Claim>();
    const other = [...claims.values()].find(isOthers);
    if (other) throw createOwnerError(folder, claim, other);
    this.#owners.set(folder, claims.set(claim.key, claim));
  }

  /** What only one job may have: the path, and the day in its folder. */
  #slotsOf({ path, key }: Pick<Claim, 'path' | 'key'>): readonly string[] {
    return this.#rules.hasDays ? [path, `${posix.dirname(path)} ${posix.basename(key)}`] : [path];
  }
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
