import { requestDayFile } from '../../service/request-day-file.js';
import { assertExpected } from '../lists/assert-expected.js';
import type { BodySink, ReceivedFile, TransferAttempt } from './body-sink.js';

/** Brings one day file to its destination, in one try. @throws TickhaulError. */
export async function receiveFile(reception: BodySink, one: TransferAttempt): Promise<ReceivedFile> {
  const { client, file, path, attempt, signal } = one;
  const resume = await reception.findResumePoint(attempt);
  const answer = await requestDayFile(client, file, { attempt, resume, signal });
  try {
    one.onResponse(answer.total);
    assertExpected(path, one.expected, { bytes: answer.total });
    return await reception.receive(one, answer);
  } finally {
    answer.body.destroy();
  }
}
