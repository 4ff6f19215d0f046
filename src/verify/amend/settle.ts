import type { FileEvent } from '../../run/events.js';
import { judge, statusOf } from '../check/judge.js';
import { createNotes, type Making, makingOf } from '../check/making.js';
import type { Check, Sight } from '../types.js';
import type { Verification } from '../verification.js';
import { createRecorder } from './recorder.js';

/** Says what a file is that was looked at, and records it where that was asked for. */
export type Settle = (check: Check, sight: Sight) => Promise<FileEvent>;

/** The promise rejects with `disk` where a record can't be written. */
export function createSettler({ input, manifest }: Verification): Settle {
  const notesOf = createNotes(input.destination, input.signal);
  const record = createRecorder(manifest);

  const findMaking = async (check: Check, { seen }: Sight): Promise<Making | undefined> => {
    const { kind, path, expected } = check;
    if (kind === 'day' || !seen) return undefined;
    // A note may be of what stood there before a download made its own.
    const pairs = seen.keyValues ?? (expected ? undefined : await notesOf(path));
    return pairs && makingOf(path, kind, pairs, manifest);
  };

  return async (check, sight) => {
    const { kind, path, file } = check;
    const making = await findMaking(check, sight);
    const known = check.record ?? making?.record;
    const source = kind === 'day' ? undefined : (known?.path ?? making?.source.name);
    const base = { event: 'file', file: file ?? known?.file, path, source } as const;
    const error = judge(check, sight, making);
    if (error) return { ...base, status: statusOf(error), error };
    const { seen } = sight;
    if (input.adopt && seen) await record(check, seen);
    const { bytes, rows } = seen ?? check.expected ?? {};
    if (kind !== 'day') {
      const isOutdated = check.isOutdated ?? making?.isOutdated;
      return { ...base, status: 'verified', bytes, rows, ...(isOutdated && { outdated: true }) };
    }
    const md5 = known?.md5 ?? seen?.md5;
    return { ...base, status: 'verified', bytes, rows, md5, md5Match: known?.md5Match ?? null };
  };
}
