import type { Proof } from '../../integrity/proof.js';
import type { FileEvent } from '../../run/events.js';
import { provenRecord } from '../../store/manifest/proven-record.js';
import { judge, statusOf } from '../check/judge.js';
import { createNotes, type Making, makingOf } from '../check/making.js';
import type { Check, Seen, Sight } from '../types.js';
import type { Verification } from '../verification.js';
import { objectOf, recordObject } from './record-object.js';

/** Says what a file is that was looked at, and records it where it is whole and new. */
export type Settle = (check: Check, sight: Sight) => Promise<FileEvent>;

/** The promise rejects with `disk` where a record can't be written. */
export function createSettler({ input, manifest }: Verification): Settle {
  const notesOf = createNotes(input.destination);

  const findMaking = async (check: Check, { seen }: Sight): Promise<Making | undefined> => {
    const { kind, path, expected } = check;
    if (kind === 'day' || !seen) return undefined;
    // A note may be of what stood there before a download made its own.
    const pairs = seen.keyValues ?? (expected ? undefined : await notesOf(path));
    return pairs && makingOf(path, pairs, manifest);
  };

  return async (check, sight) => {
    const { kind, path, file } = check;
    const making = await findMaking(check, sight);
    const record = check.record ?? making?.record;
    const source = kind === 'day' ? undefined : (record?.path ?? making?.source.name);
    const base = { event: 'file', file: file ?? record?.file, path, source } as const;
    const error = judge(check, sight, making);
    if (error) return { ...base, status: statusOf(error), error };
    const { seen } = sight;
    if (kind === 'day' && file && !record && seen) {
      await manifest.append(provenRecord(file, path, seen as Seen & Proof, objectOf(seen)));
    }
    if (input.adopt && seen) await recordObject(check, seen, manifest);
    const { bytes, rows } = seen ?? check.expected ?? {};
    if (kind !== 'day') return { ...base, status: 'verified', bytes, rows };
    const md5 = record?.md5 ?? seen?.md5;
    return { ...base, status: 'verified', bytes, rows, md5, md5Match: record?.md5Match ?? null };
  };
}
