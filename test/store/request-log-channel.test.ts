import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRequestLogSender, withRequestLog } from '../../src/store/request-log-channel.js';

test('a receiver gets all lines of its duration, also beside receivers that end earlier', async () => {
  const sender = openRequestLogSender();
  const received: string[] = [];
  const nestedLines: string[] = [];
  await withRequestLog(
    (line) => received.push(line),
    async () => {
      sender.send('first');
      await withRequestLog(
        (line) => nestedLines.push(line),
        async () => sender.send('second'),
      );
      sender.send('third');
    },
  );
  sender.send('without a receiver');
  sender.close();
  sender.send('too late');
  assert.deepEqual(received, ['first', 'second', 'third']);
  assert.deepEqual(nestedLines, ['second']);
});
