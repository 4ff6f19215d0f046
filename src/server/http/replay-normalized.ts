import { replayNormalized } from '../normalized/replay-normalized.js';
import { readNormalizedOptions } from '../request/normalized-options.js';
import { readOptionsText } from '../request/options-text.js';
import type { Call } from './call.js';
import { answerLines } from './line-answer.js';

/** `GET /replay-normalized`: normalized messages of a period (service interface, Local replay server). */
export function answerReplayNormalized(call: Call): Promise<void> {
  return answerLines(call, (target) => {
    const options = readNormalizedOptions(readOptionsText(call.query), call.serving.warnOnce);
    return replayNormalized(call.serving, options, target);
  });
}
