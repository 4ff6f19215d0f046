import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hearRequests, openTeller } from '../../../src/store/s3/told-requests.js';

test('what is told while somebody hears is heard to its end, also beside others who end before', async () => {
  const teller = openTeller();
  const heard: string[] = [];
  const others: string[] = [];
  await hearRequests(
    (line) => heard.push(line),
    async () => {
      teller.tell('first');
      await hearRequests(
        (line) => others.push(line),
        async () => teller.tell('second'),
      );
      teller.tell('third');
    },
  );
  teller.tell('heard by nobody');
  teller.close();
  teller.tell('too late');
  assert.deepEqual(heard, ['first', 'second', 'third']);
  assert.deepEqual(others, ['second']);
});
