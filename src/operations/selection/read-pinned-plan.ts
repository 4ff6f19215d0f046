import { usageError } from '../../base/errors.js';
import type { PinnedPlan } from '../../download/plan/pinned-plan.js';
import { readTextAt } from '../../store/files.js';
import { isObjectLocation } from '../../store/location.js';
import type { Context } from '../context.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import { assertNoOtherFlags, type ListedOptions } from './read-file-list.js';

/**
 * The plan of `--pinned`; undefined if it is absent.
 * @throws usage error if a selection or a layout is given too, and for a file that `plan --pin` did not write.
 */
export async function readPinnedPlan(
  options: ListedOptions,
  context: Context,
): Promise<PinnedPlan | undefined> {
  const location = options.pinned;
  if (location === undefined) return undefined;
  assertNoOtherFlags(options, 'pinned', ['layout', 'pin']);
  const text = isObjectLocation(location)
    ? await readObject(location, context)
    : await readUserFile(
        { name: '--pinned', what: 'the file', path: location },
        MAX_TEXT_BYTES.list,
        context.signal,
      );
  const { parsePin } = await import('../../download/plan/pinned-plan.js');
  return parsePin(text, location);
}

async function readObject(location: string, context: Context): Promise<string> {
  const text = await readTextAt(await context.files(), location, context.signal);
  if (text === undefined) throw usageError(`--pinned: there is no ${location}`);
  return text;
}
