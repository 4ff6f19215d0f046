import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { readWholeBody } from '../../http/watched-body.js';
import type { ServiceResponse } from '../http/send-request.js';
import type { ServiceClient } from '../http/service-client.js';

/** Bytes of an answer, unless the client's configuration has another limit; the largest record known has 100 MB. */
const MAX_ANSWER = 192 * 1024 * 1024;

/**
 * The body of an answer of the metadata host.
 * @throws TickhaulError `bad_answer` for one past the limit, which is broken off there; else as reading a body does.
 */
export async function readAnswer(
  { config: { maxAnswerBytes: limit = MAX_ANSWER } }: ServiceClient,
  { body, name }: ServiceResponse,
): Promise<Buffer> {
  const whole = await readWholeBody(body, limit);
  if (whole) return whole;
  throw new TickhaulError(
    'bad_answer',
    `${name}: the response is larger than ${formatSize(limit)}; check the host, or raise TICKHAUL_MAX_ANSWER`,
  );
}
