import { usageError } from '../../base/errors.js';
import type { PinnedPlan } from '../../download/lists/pin.js';
import { isObject } from '../../store/location.js';
import { openFiles } from '../../store/open-files.js';
import { readTextAt } from '../../store/small-objects.js';
import type { Args } from '../arguments/args.js';
import { readFileLocation } from '../arguments/read.js';
import { storeOf } from '../destination.js';
import type { Host } from '../host.js';
import { LIMITS, readNamedText } from '../named-text.js';
import { refuseBeside } from './file-lists.js';

/**
 * What `--pinned` names; undefined where it isn't given.
 * @throws usage error for a selection or a layout beside it, and for a file that isn't as `plan --pin` wrote it.
 */
export async function readPinned(args: Args, host: Host): Promise<PinnedPlan | undefined> {
  const location = readFileLocation(args, 'pinned');
  if (location === undefined) return undefined;
  refuseBeside(args, 'pinned', ['layout', 'pin']);
  const text = isObject(location)
    ? await readObject(location, args, host)
    : await readNamedText({ name: '--pinned', what: 'the file', path: location }, LIMITS.list, host.signal);
  const { parsePin } = await import('../../download/lists/pin.js');
  return parsePin(text, location);
}

async function readObject(location: string, args: Args, host: Host): Promise<string> {
  const files = openFiles(await storeOf(args, host, [location]));
  const text = await readTextAt(files, location, host.signal).finally(() => files.close());
  if (text === undefined) throw usageError(`--pinned: there is no ${location}`);
  return text;
}
