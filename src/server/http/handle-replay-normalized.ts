import { replayNormalized } from '../normalized/replay-normalized.js';
import { parseNormalizedOptions } from '../request/normalized-options.js';
import { parseOptionsParameter } from '../request/options-parameter.js';
import type { HttpCall } from './http-call.js';
import { sendLineResponse } from './line-response.js';

/** `GET /replay-normalized`: normalized messages of a period (`docs/spec/local-server.md#normalized-options`). */
export function handleReplayNormalized(call: HttpCall): Promise<void> {
  return sendLineResponse(call, (target) => {
    const options = parseNormalizedOptions(parseOptionsParameter(call.query), call.context.warnOnce);
    return replayNormalized(call.context, options, target);
  });
}
