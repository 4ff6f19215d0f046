import { usageError } from '../../base/errors.js';
import { openFeed } from '../../feeds/open.js';
import { replayRaw } from '../../replay/raw/replay-raw.js';
import { readOptionsText } from '../request/options-text.js';
import { readRawOptions } from '../request/raw-options.js';
import type { Call } from './call.js';
import { answerLines } from './line-answer.js';

/** Why day files can't answer for an exchange's own messages. */
export const NO_RAW = "day files hold no exchange's own messages; serve with --source feeds";

/** `GET /replay`: an exchange's own messages of a period (service interface, Local replay server). */
export function answerReplay(call: Call): Promise<void> {
  return answerLines(call, async ({ output: body, written, signal }) => {
    const { options, run, turns, warnOnce } = call.serving;
    if (options.source === 'datasets') throw usageError(NO_RAW);
    const { withDisconnects, ...request } = readRawOptions(readOptionsText(call.query), warnOnce);
    if (request.range.start === request.range.end) return;
    const own = { ...run, signal };
    const output = turns.wrap(body);
    const feed = await openFeed(own, request, options.records);
    await replayRaw({ run: own, feed, withDisconnects, output, written, onMinutes: () => {}, signal });
    await run.cache.trim();
  });
}
