import { usageError } from '../../base/errors.js';
import type { PinnedPlan } from '../../download/lists/pinned-plan.js';
import { isObjectLocation } from '../../store/location.js';
import { openFiles } from '../../store/open-files.js';
import { readTextAt } from '../../store/read-write-at.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readFileLocation } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { MAX_TEXT_BYTES, readUserFile } from '../read-user-file.js';
import { readStoreSettings } from '../with-destination.js';
import { assertNoOtherFlags } from './read-file-list.js';

/**
 * The plan of `--pinned`; undefined if it is absent.
 * @throws usage error if a selection or a layout is given too, and for a file that `plan --pin` did not write.
 */
export async function readPinnedPlan(args: CommandArgs, host: CommandHost): Promise<PinnedPlan | undefined> {
  const location = readFileLocation(args, 'pinned');
  if (location === undefined) return undefined;
  assertNoOtherFlags(args, 'pinned', ['layout', 'pin']);
  const text = isObjectLocation(location)
    ? await readObject(location, args, host)
    : await readUserFile(
        { name: '--pinned', what: 'the file', path: location },
        MAX_TEXT_BYTES.list,
        host.signal,
      );
  const { parsePin } = await import('../../download/lists/pinned-plan.js');
  return parsePin(text, location);
}

async function readObject(location: string, args: CommandArgs, host: CommandHost): Promise<string> {
  const files = openFiles(await readStoreSettings(args, host, [location]));
  const text = await readTextAt(files, location, host.signal).finally(() => files.close());
  if (text === undefined) throw usageError(`--pinned: there is no ${location}`);
  return text;
}
