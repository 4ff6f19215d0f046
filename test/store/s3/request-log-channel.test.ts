import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRequestLogSender, withRequestLog } from '../../../src/store/s3/request-log-channel.js';

test('what is told while somebody hears is heard to its end, also beside others who end before', async () => {
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
