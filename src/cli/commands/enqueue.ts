import { ERRORS } from '../../base/errors.js';
import { formatCount, plural } from '../../base/units.js';
import { readToggle } from '../../commands/arguments/read.js';
import { line } from '../../run/json.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { LIST_FLAGS, SELECTION_FLAGS } from '../arguments/flags.js';
import { ENQUEUE_FLAGS, QUEUE_FLAGS, SLICE_FLAGS } from '../arguments/fleet-flags.js';
import { SHARD_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import { EXCHANGE } from '../arguments/positionals.js';
import type { Action } from '../arguments/types.js';
import { warningTeller, withStoreRequests } from '../session.js';

export const enqueue: Action = {
  positionals: { exchange: EXCHANGE },
  flags: {
    ...SELECTION_FLAGS,
    ...SHARD_FLAGS,
    ...STORE_FLAGS,
    ...SLICE_FLAGS,
    ...CONVERT_ON_ARRIVAL_FLAGS,
    pinned: LIST_FLAGS['pinned'] ?? {},
    ...ENQUEUE_FLAGS,
    ...QUEUE_FLAGS,
  },
  examples: [
    [
      '$0 enqueue binance-futures -t trades -s all --from 2020-01 --dir /data',
      'slices of a month a series; workers take the newest first',
    ],
    [
      '$0 enqueue deribit -t incremental_book_L2 -s all --last 9d --slice 1d',
      'a day a slice, for files of gigabytes',
    ],
  ],
  async run(args, cli) {
    const { prepareEnqueue } = await import('../../commands/fleet/enqueue.js');
    const { stdout, stderr, warn } = cli;
    const { unauthorized, missing, ...told } = await withStoreRequests(args, cli, async () => {
      const run = await prepareEnqueue(args, cli);
      return run(warningTeller(args, cli));
    });
    if (unauthorized > 0)
      warn(`${plural(unauthorized, 'day file')} left out: the API key does not cover them`);
    const isStrict = readToggle(args, 'strict') && missing > 0;
    if (isStrict) warn(`${plural(missing, 'day file')} pending or unavailable, and --strict asks for them`);
    const exitCode = isStrict ? ERRORS.not_exported.exitCode : 0;
    if (readToggle(args, 'json')) stdout.write(line({ event: 'summary', exitCode, ...told }));
    else if (!readToggle(args, 'quiet')) {
      const { slices, added, present } = told;
      stderr.write(
        `${plural(slices, 'slice')}: ${formatCount(added)} added, ${formatCount(present)} there already\n`,
      );
    }
    return exitCode;
  },
};
