import { usageError } from '../../base/errors.js';
import { openFeed } from '../../feeds/open-feed.js';
import { replayRaw } from '../../replay/raw/replay-raw.js';
import { parseOptionsParameter } from '../request/options-parameter.js';
import { parseRawOptions } from '../request/raw-options.js';
import type { HttpCall } from './http-call.js';
import { sendLineResponse } from './line-response.js';

/** Why day files can't answer for an exchange's own messages. */
export const NO_RAW_MESSAGES = "day files hold no exchange's own messages; serve with --source feeds";

/** `GET /replay`: an exchange's own messages of a period (service interface, Local replay server). */
export function handleReplay(call: HttpCall): Promise<void> {
  return sendLineResponse(call, async ({ output: body, written, signal }) => {
    const { options, run, turns, warnOnce } = call.serving;
    if (options.source === 'datasets') throw usageError(NO_RAW_MESSAGES);
    const { withDisconnects, ...request } = parseRawOptions(parseOptionsParameter(call.query), warnOnce);
    if (request.range.start === request.range.end) return;
    const own = { ...run, signal };
    const output = turns.wrap(body);
    const feed = await openFeed(own, request, options.records);
    await replayRaw({ run: own, feed, withDisconnects, output, written, onMinutes: () => {}, signal });
    await run.cache.trim();
  });
}
