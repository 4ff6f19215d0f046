import { usageError } from '../../base/errors.js';
import { openFeed } from '../../raw-feeds/open-feed.js';
import { replayRaw } from '../../replay/raw/replay-raw.js';
import { withClientBuffers } from '../client-memory.js';
import { parseOptionsParameter } from '../request/options-parameter.js';
import { parseRawOptions } from '../request/raw-options.js';
import type { HttpCall } from './http-call.js';
import { sendLineResponse } from './line-response.js';

/** Error for raw messages with `--source datasets`. */
export const NO_RAW_MESSAGES = "day files do not contain the exchange's own messages; use --source feeds";

/** `GET /replay`: an exchange's own messages of a period (`docs/spec/local-server.md#get-replay`). */
export function handleReplay(call: HttpCall): Promise<void> {
  return sendLineResponse(call, async ({ output: body, written, signal }) => {
    const { options, run, pacer, warnOnce } = call.context;
    if (options.source === 'datasets') throw usageError(NO_RAW_MESSAGES);
    const { withDisconnects, ...request } = parseRawOptions(parseOptionsParameter(call.query), warnOnce);
    if (request.range.start === request.range.end) return;
    const responseRun = { ...run, signal };
    const output = pacer.pace(body);
    const feed = await openFeed(responseRun, request, options.records);
    await withClientBuffers(run.texts, 1, (buffers) =>
      replayRaw({
        run: { ...responseRun, ...buffers },
        feed,
        withDisconnects,
        output,
        written,
        onMinutes: () => {},
        signal,
      }),
    );
    await run.cache.trim();
  });
}
