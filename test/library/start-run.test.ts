import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventQueue } from '../../src/library/start-run.js';

const feedOf = <Item>(leave: () => Promise<void> = async () => {}): EventQueue<Item> =>
  new EventQueue<Item>(leave);

/** The current state of a promise. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const states = [
    promise.then(() => 'done'),
    new Promise<string>((resolve) => setImmediate(resolve, 'open')),
  ];
  return Promise.race(states);
}

test('items are read in order by a reader that waits and by one that is late; then the end', async () => {
  const feed = feedOf<number>();
  const reader = feed.read();
  const [first, second] = [reader.next(), reader.next()];
  feed.push(1);
  feed.push(2);
  void feed.send([3, 4]);
  feed.push(5);
  feed.end();
  assert.deepEqual(
    [await first, await second].map(({ value }) => value),
    [1, 2],
  );
  assert.deepEqual(await rest(reader), [3, 4, 5]);
  assert.deepEqual(await reader.next(), { done: true, value: undefined });
});

async function rest<Item>(reader: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of reader) items.push(item);
  return items;
}

test('the sender waits for the reader, and items are created when they are read', async () => {
  const feed = feedOf<number>();
  const reader = feed.read();
  let made = 0;
  const sent = feed.send(
    (function* () {
      for (; made < 1000; made++) yield made;
    })(),
  );
  await reader.next();
  assert.ok(made <= 1, `${made} are made`);
  assert.equal(await stateOf(sent), 'open');
  const others = rest(reader);
  await sent;
  feed.end();
  assert.equal((await others).length, 999);
});

test('without a reader, items are discarded and senders do not wait', async () => {
  const feed = feedOf<number>();
  feed.push(1);
  await feed.send([2, 3]);
  const reader = feed.read();
  feed.push(4);
  feed.end();
  assert.deepEqual(await rest(reader), [4]);
  assert.throws(() => feed.read(), TypeError);
});

test('a reader that leaves ends the run, waits for its end, and unblocks senders', async () => {
  let leaving = 0;
  let hasLeft = (): void => {};
  const feed = feedOf<number>(() => {
    leaving++;
    return new Promise((resolve) => {
      hasLeft = resolve;
    });
  });
  const reader = feed.read();
  const sent = feed.send([1, 2]);
  await reader.next();
  const returned = reader.return?.();
  await sent;
  assert.equal(leaving, 1);
  assert.equal(await stateOf(Promise.resolve(returned)), 'open');
  hasLeft();
  assert.deepEqual(await returned, { done: true, value: undefined });
  await feed.send([3]);
  assert.deepEqual(await reader.next(), { done: true, value: undefined });
});

test('an error is thrown once, after all items; an error of an item’s iterator rejects the sender', async () => {
  const feed = feedOf<number>();
  const reader = feed.read();
  const broken = new Error('broken');
  const sent = feed.send(
    (function* () {
      yield 1;
      throw broken;
    })(),
  );
  const refused = assert.rejects(sent, broken);
  assert.equal((await reader.next()).value, 1);
  const next = reader.next();
  await refused;
  feed.end(broken);
  await assert.rejects(next, broken);
  assert.deepEqual(await reader.next(), { done: true, value: undefined });
});
