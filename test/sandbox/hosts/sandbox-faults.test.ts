import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import {
  FAULT_KINDS,
  FaultChooser,
  type FaultKind,
  parseFaults,
} from '../../../src/sandbox/hosts/sandbox-faults.js';
import { type Answer, fileUrl, get, sandboxFor } from '../helpers.js';

interface Outcome extends Answer {
  /** The response without the fault. */
  readonly whole: Buffer;
  readonly json: () => { code: number; message: string; retryAfterSeconds?: number };
}

const CHECKS: Readonly<Partial<Record<FaultKind, (outcome: Outcome) => void>>> = {
  'rate-limit': ({ status, headers, json }) => {
    assert.deepEqual([status, headers['retry-after']], [429, '3']);
    assert.match(json().message, /too quickly/);
  },
  'transfer-limit': ({ status, headers, json }) => {
    assert.deepEqual([status, headers['retry-after']], [429, undefined]);
    assert.match(json().message, /data transfer limit/);
  },
  'ip-lock': ({ status, headers, json }) => {
    assert.deepEqual([status, headers['retry-after']], [403, '3']);
    assert.deepEqual([json().code, json().retryAfterSeconds], [274, 3]);
  },
  '500': ({ status }) => assert.equal(status, 500),
  '502': ({ status }) => assert.equal(status, 502),
  '503': ({ status }) => assert.equal(status, 503),
  reset: ({ headers, whole, broken }) => {
    assert.equal(headers['content-length'], String(whole.length));
    assert.equal(broken, 'ECONNRESET');
  },
  stall: ({ headers, whole, body, broken }) => {
    assert.equal(headers['content-length'], String(whole.length));
    assert.equal(body.length, whole.length >> 1);
    assert.equal(broken, 'UND_ERR_BODY_TIMEOUT');
  },
  short: ({ headers, whole, body, broken }) => {
    assert.equal(headers['content-length'], String(whole.length));
    assert.equal(body.length, whole.length >> 1);
    assert.equal(broken, 'UND_ERR_SOCKET');
  },
  truncate: ({ headers, whole, body, broken }) => {
    assert.equal(broken, undefined);
    assert.equal(headers['content-length'], String(body.length));
    assert.deepEqual(body, whole.subarray(0, whole.length >> 1));
    assert.throws(() => gunzipSync(body), /unexpected end of file/);
  },
  'bit-flip': ({ whole, body }) => {
    assert.equal(body.length, whole.length);
    assert.equal(body.filter((byte, i) => byte !== whole[i]).length, 1);
    assert.throws(() => gunzipSync(body));
  },
  'wrong-md5': ({ headers, whole, body }) => {
    assert.deepEqual(body, whole);
    assert.match(String(headers['x-md5']), /^"[0-9a-f]{32}"$/);
    assert.notEqual(headers['x-md5'], `"${createHash('md5').update(whole).digest('hex')}"`);
  },
  'no-length': ({ headers, whole, body }) => {
    assert.deepEqual(body, whole);
    assert.equal(headers['content-length'], undefined);
    assert.equal(headers['x-dataset-size'], undefined);
  },
  'slow-start': ({ whole, body }) => assert.deepEqual(body, whole),
  html: ({ status, headers, body }) => {
    assert.deepEqual([status, headers['content-type']], [200, 'text/html']);
    assert.match(body.toString(), /^<!doctype html>/);
  },
  trailing: ({ headers, whole, body }) => {
    assert.ok(body.length > whole.length);
    assert.equal(headers['content-length'], String(body.length));
    assert.deepEqual(body.subarray(0, whole.length), whole);
  },
  empty: ({ status, headers, body }) => {
    assert.deepEqual([status, headers['content-length'], body.length], [200, '0', 0]);
  },
};

for (const [kind, check] of Object.entries(CHECKS)) {
  test(`fault ${kind}: the first request has it, the second is complete`, async (t) => {
    const sandbox = await sandboxFor(t, {
      faults: { [kind]: 1 },
      faultsPerFile: 1,
      retryAfterSeconds: 3,
    });
    const url = fileUrl(sandbox, 'kraken', 'trades', '2024/03/01', 'XBT-USD');
    const faulty = await get(url, {}, kind === 'stall' ? { bodyTimeout: 100 } : {});
    const healed = await get(url);
    assert.equal(healed.status, 200);
    assert.equal(healed.headers['content-length'], String(healed.body.length));
    assert.ok(gunzipSync(healed.body).length > 0);
    assert.deepEqual(
      sandbox.requests.map(({ fault }) => fault),
      [kind, undefined],
    );
    check({ ...faulty, whole: healed.body, json: () => JSON.parse(faulty.body.toString()) });
  });
}

test('every fault of the dataset host is tested above', () => {
  assert.deepEqual(
    FAULT_KINDS.filter((kind) => !CHECKS[kind]),
    ['not-json'],
  );
});

test('shares are parsed, and errors name the invalid part', () => {
  assert.deepEqual(parseFaults(['rate-limit=0.1, reset=.05', '500=1', '500=0']), {
    'rate-limit': 0.1,
    reset: 0.05,
    '500': 0,
  });
  assert.deepEqual(parseFaults(['gap=0.1,clock-step=.2']), { gap: 0.1, 'clock-step': 0.2 });
  assert.deepEqual(parseFaults([]), {});
  const refused: readonly (readonly [string, RegExp])[] = [
    ['rset=0.1', /"rset"; did you mean reset\?.*valid faults: rate-limit/],
    ['crossed=0.1', /"crossed"; did you mean crossed-book\?.*, lost-snapshot/],
    ['reset', /"reset".*reset=0\.1/],
    ['reset=2', /share from 0 to 1/],
    ['reset=-0.1', /share from 0 to 1/],
    ['reset=1e-1', /share from 0 to 1/],
    ['reset=0.1=0.2', /share from 0 to 1/],
    ['reset=0.7,gap=0.7', /at most 1/],
  ];
  for (const [text, message] of refused) {
    assert.throws(() => parseFaults([text]), { code: 'usage', message });
  }
});

test('the faults of a path depend on the seed and the attempt, not on other requests', () => {
  const drawn = (seed: number, others: number): (FaultKind | undefined)[] => {
    const chooser = new FaultChooser({ reset: 0.3, '500': 0.3 }, seed, Infinity);
    return Array.from({ length: 20 }, () => {
      for (let i = 0; i < others; i++) chooser.next(`/other/${i}`, () => true);
      return chooser.next('/file', () => true);
    });
  };
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 0, max: 5 }), (seed, others) => {
      assert.deepEqual(drawn(seed, 0), drawn(seed, others));
    }),
    { numRuns: 30 },
  );
  assert.notDeepEqual(drawn(1, 0), drawn(2, 0));
});

test('each fault occurs about as often as its share', () => {
  const chooser = new FaultChooser({ reset: 0.2, stall: 0.05 }, 1, Infinity);
  const drawn = Array.from({ length: 4000 }, (_, i) => chooser.next(`/${i}`, () => true));
  const share = (kind: FaultKind): number => drawn.filter((one) => one === kind).length / drawn.length;
  assert.ok(Math.abs(share('reset') - 0.2) < 0.03);
  assert.ok(Math.abs(share('stall') - 0.05) < 0.02);
});
