import { requestDayFile } from '../../service/request-day-file.js';
import { assertExpected } from '../lists/assert-expected.js';
import type { BodySink, ReceivedFile, TransferAttempt } from './body-sink.js';

/** Downloads one day file to its sink, in one attempt. @throws TickhaulError. */
export async function receiveFile(sink: BodySink, transfer: TransferAttempt): Promise<ReceivedFile> {
  const { client, file, path, attempt, signal } = transfer;
  const resume = await sink.findResumePoint(attempt);
  const response = await requestDayFile(client, file, { attempt, resume, signal });
  try {
    transfer.onResponse(response.total);
    assertExpected(path, transfer.expected, { bytes: response.total });
    return await sink.receive(transfer, response);
  } finally {
    response.body.destroy();
  }
}
