import type { PinnedPlan } from '../../download/lists/pin.js';
import type { Args } from '../arguments/args.js';
import { readText } from '../arguments/read.js';
import { LIMITS, readNamedText } from '../named-text.js';
import { refuseBeside } from './file-lists.js';

/**
 * What `--pinned` names; undefined where it isn't given.
 * @throws usage error for a selection or a layout beside it, and for a file that isn't as `plan --pin` wrote it.
 */
export async function readPinned(args: Args, signal: AbortSignal): Promise<PinnedPlan | undefined> {
  const path = readText(args, 'pinned');
  if (path === undefined) return undefined;
  refuseBeside(args, 'pinned', ['layout', 'pin']);
  const text = await readNamedText({ name: '--pinned', what: 'the file', path }, LIMITS.list, signal);
  const { parsePin } = await import('../../download/lists/pin.js');
  return parsePin(text, path);
}
