import { abortReason } from '../../base/errors.js';
import type { FileEvent } from '../../run/events.js';
import { createSecondLook } from '../amend/second-look.js';
import { createSettler } from '../amend/settle.js';
import type { BadFile, Check, Sight } from '../types.js';
import type { Verification } from '../verification.js';
import { checkAll, orderOf } from './check-all.js';
import { look } from './examine.js';

/** Files between two looks at the signal. */
const BREATH = 1024;

/**
 * Checks every file and tells of each what it is, but for those that are to be repaired or forgotten.
 * @returns them.
 * @throws TickhaulError the reason of an abort; `disk` where a record can't be written.
 */
export async function checkFiles(
  verification: Verification,
  tell: (event: FileEvent) => void,
): Promise<readonly BadFile[]> {
  const { input, files } = verification;
  const { dir, quick, emit, signal } = input;
  const settle = createSettler(verification);
  const settleAgain = createSecondLook(verification, settle);
  const bad: BadFile[] = [];

  const onSight = async (check: Check, sight: Sight): Promise<void> => {
    const first = await settle(check, sight);
    const event = isBad(first) ? ((await settleAgain(check)) ?? first) : first;
    const { record, path } = check;
    const isTaken = input.repair ? isBad(event) : input.forget && event.status === 'missing';
    if (isTaken && record) {
      bad.push({ record, event, conversion: record.conversions?.find((made) => made.path === path) });
    } else tell(event);
  };

  const unread = quick ? await lookQuickly(verification, onSight) : undefined;
  const position = new Map<Check, number>();
  await checkAll(unread ?? verification.checks(), {
    dir,
    jobs: Math.min(input.jobs, unread?.length ?? files),
    threads: input.threads,
    onStart: ({ file, path }) => emit({ event: 'start', file, path }),
    onBytes: (check, received) => {
      const at = (position.get(check) ?? 0) + received;
      position.set(check, at);
      emit({ event: 'progress', path: check.path, received, position: at, total: check.expected?.bytes });
    },
    onSight: (check, sight) => {
      position.delete(check);
      return onSight(check, sight);
    },
    signal,
  });
  return bad;
}

function isBad({ status }: FileEvent): boolean {
  return status === 'corrupt' || status === 'missing';
}

/** Looks at sizes only. @returns what has to be read nevertheless, as nobody knows its size. */
async function lookQuickly(
  { input, checks }: Verification,
  onSight: (check: Check, sight: Sight) => Promise<void>,
): Promise<readonly Check[]> {
  const unread: Check[] = [];
  let looked = 0;
  for (const check of checks()) {
    if (check.expected) {
      await onSight(check, look(orderOf(check, input.dir)));
    } else unread.push(check);
    if (++looked % BREATH === 0) await new Promise((resolve) => setImmediate(resolve));
    if (input.signal.aborted) throw abortReason(input.signal);
  }
  return unread;
}
