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
  /** Whether an earlier run wrote it. */
  readonly isEarlier: boolean;
}

/** Outputs of a run and of earlier ones, so that no two jobs write the same data. */
export class OutputClaims {
  readonly #claims = new Map<string, Claim>();
  readonly #hasDays: boolean;
  readonly #exists: (path: string) => Promise<boolean>;

  /**
   * @param hasDays whether a folder may have only one output of each day (`ExportTarget.hasDayFolders`).
   * @param exists whether an output of an earlier run is still in the output folder.
   */
  constructor(hasDays: boolean, exists: (path: string) => Promise<boolean>) {
    this.#hasDays = hasDays;
    this.#exists = exists;
  }

  /** Adds an output of an earlier run, with the record that made it. */
  addEarlier(path: string, { key, sources }: ExportRecord): void {
    // An output of the same path is replaced.
    if (!this.#hasDays) return;
    const source = sources[0]?.name ?? key;
    this.#claims.set(this.#slotOf(path, key), { path, key, source, isEarlier: true });
  }

  /**
   * Claims all outputs of a job, or none.
   * @throws usage error if another job has one of them; errors of the store.
   */
  async claim({ key, sources }: ExportJob, paths: readonly string[]): Promise<void> {
    const source = basename(sources[0]?.path ?? key);
    const claimed: { readonly slot: string; readonly own: Claim | undefined }[] = [];
    try {
      for (const path of paths) {
        const own = await this.#claimOne({ path, key, source, isEarlier: false });
        claimed.push({ slot: this.#slotOf(path, key), own });
      }
    } catch (error) {
      // What the job exported earlier stays in the output folder.
      for (const { slot, own } of claimed.toReversed()) {
        if (own) this.#claims.set(slot, own);
        else this.#claims.delete(slot);
      }
      throw error;
    }
  }

  /** @returns the claim of the same job that this one replaces. */
  async #claimOne(claim: Claim): Promise<Claim | undefined> {
    const { path, key, source } = claim;
    const slot = this.#slotOf(path, key);
    let other = this.#claims.get(slot);
    for (; other && other.key !== key; other = this.#claims.get(slot)) {
      if (!other.isEarlier || (await this.#exists(other.path))) throw createClaimError(path, source, other);
      if (this.#claims.get(slot) === other) this.#claims.delete(slot);
    }
    this.#claims.set(slot, claim);
    return other;
  }

  /** What only one job may have. */
  #slotOf(path: string, key: string): string {
    return this.#hasDays ? `${posix.dirname(path)} ${posix.basename(key)}` : path;
  }
}

function createClaimError(path: string, source: string, other: Claim): Error {
  const both = `${path}: both ${other.source} and ${source}`;
  return usageError(
    other.isEarlier
      ? `${both} give this data, and the first was exported before; leave out the second, or delete ${other.path}`
      : `${both} give this data; select one with -s or -t`,
  );
}
