import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRequestLogSender, withRequestLog } from '../../../src/store/s3/request-log-channel.js';

test('a receiver gets all lines of its duration, also beside receivers that end earlier', async () => {
  const teller = openRequestLogSender();
  const heard: string[] = [];
  const others: string[] = [];
  await withRequestLog(
    (line) => heard.push(line),
    async () => {
      teller.send('first');
      await withRequestLog(
        (line) => others.push(line),
        async () => teller.send('second'),
      );
      teller.send('third');
    },
  );
  teller.send('heard by nobody');
  teller.close();
  teller.send('too late');
  assert.deepEqual(heard, ['first', 'second', 'third']);
  assert.deepEqual(others, ['second']);
});
