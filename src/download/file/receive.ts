import { requestDayFile } from '../../service/datasets.js';
import { assertExpected } from '../lists/expected.js';
import type { Received, Reception, Try } from './try.js';

/** Brings one day file to its destination, in one try. @throws TickhaulError. */
export async function receive(reception: Reception, one: Try): Promise<Received> {
  const { client, file, path, attempt, signal } = one;
  const resume = await reception.resumePoint(attempt);
  const answer = await requestDayFile(client, file, { attempt, resume, signal });
  try {
    one.onAnswer(answer.total);
    assertExpected(path, one.expected, { bytes: answer.total });
    return await reception.take(one, answer);
  } finally {
    answer.body.destroy();
  }
}
