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
}

export interface ClaimRules {
  /** Whether a folder may have only one output of each day (`ExportTarget.hasDayFolders`). */
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

  constructor(rules: ClaimRules) {
    this.#rules = rules;
  }

  /** Adds an output of an earlier run, with the record that made it. */
  addEarlier(path: string, { key, sources }: ExportRecord): void {
    const claim = { path, key, source: sources[0]?.name ?? key };
    for (const slot of this.#slotsOf(claim)) this.#earlier.set(slot, claim);
  }

  /**
   * Claims outputs of a job. If it must not have one of them, it loses all of its claims of this run.
   * @throws usage error if another job has one of them; errors of the store.
   */
  async claim(job: ExportJob, paths: readonly string[]): Promise<void> {
    const { key, sources } = job;
    const source = basename(sources[0]?.path ?? key);
    try {
      for (const path of paths) {
        const claim = { path, key, source };
        for (const slot of this.#slotsOf(claim)) await this.#claimSlot(slot, claim);
      }
    } catch (error) {
      this.release(job);
      throw error;
    }
  }

  /** Drops what a job has claimed in this run; what it exported earlier stays in the output folder. */
  release({ key }: ExportJob): void {
    for (const [slot, claim] of this.#current) if (claim.key === key) this.#current.delete(slot);
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

  /** What only one job may have: the path, and the day in its folder. */
  #slotsOf({ path, key }: Pick<Claim, 'path' | 'key'>): readonly string[] {
    return this.#rules.hasDays ? [path, `${posix.dirname(path)} ${posix.basename(key)}`] : [path];
  }
}

function createClaimError({ source }: Claim, { path, source: other }: Claim): Error {
  return usageError(`${path}: both ${other} and ${source} give this data; select one with -s or -t`);
}

function createEarlierError({ source }: Claim, earlier: Claim): Error {
  const both = `${earlier.path}: both ${earlier.source} and ${source} give this data`;
  return usageError(
    `${both}, and the first was exported before; leave out the second, write it to another folder, or replace the first with export --existing overwrite`,
  );
}
