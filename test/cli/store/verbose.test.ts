import assert from 'node:assert/strict';
import { parseStoreCall, type StoreCall } from '../../helpers/s3/call.js';
import { SLOW_DOWN } from '../../helpers/s3/shim.js';
import { storeTest } from '../../helpers/services.js';
import { assertNoSecret, DOWNLOAD, type StoreRig, storeRig } from './rig.js';

/** A request as printed by `--verbose`: method, path and result. */
interface Reported extends StoreCall {
  readonly outcome: string;
}

/** Runs the built command: each request to the store is printed once, before the command's last line. */
async function runRequests(rig: StoreRig, ...words: readonly string[]): Promise<readonly Reported[]> {
  const before = rig.shim.calls.length;
  const finished = await rig.start(...words, '--verbose').finished;
  const { exitCode, stderr } = finished;
  assert.equal(exitCode, 0, stderr);
  assertNoSecret(finished, rig);
  assert.doesNotMatch(stderr, /uploadId=/);
  const { host } = new URL(rig.shim.endpoint);
  const lines = stderr.trimEnd().split('\n');
  assert.match(lines.pop() ?? '', /^(?:\d|the files are in) |"summary"/, stderr);
  const reported = lines
    .filter((line) => line.includes(` ${host}/`))
    .map((line) => parseReportedLine(line, host));
  const inOrder = (calls: readonly StoreCall[]): readonly string[] =>
    calls.map(({ operation, key }) => `${operation} ${key}`).sort();
  assert.deepEqual(inOrder(reported.filter(isOfTry)), inOrder(rig.shim.calls.slice(before)));
  return reported;
}

function parseReportedLine(line: string, host: string): Reported {
  const [method, address = '', ...rest] = line.split(' ');
  assert.match(rest.pop() ?? '', /^\d+ms$/, line);
  return { ...parseStoreCall(method, address.slice(host.length)), outcome: rest.join(' ') };
}

/** An aborted object was printed when its response arrived. */
function isOfTry({ operation, outcome }: Reported): boolean {
  return operation !== 'GetObject' || /\b\d{3}$/.test(outcome);
}

function outcomes(
  reported: readonly Reported[],
  operation: StoreCall['operation'],
  key: RegExp,
): readonly string[] {
  return reported
    .filter((one) => one.operation === operation && key.test(one.key))
    .map(({ outcome }) => outcome);
}

storeTest('prints each request to the store, including failed attempts and those of threads', async (t) => {
  const rig = await storeRig(t);
  const [book, trades] = [/incremental.*csv\.gz$/, /trades.*csv\.gz$/];
  const met = [
    rig.shim.harm('PutObject', SLOW_DOWN, 1, trades),
    rig.shim.harm('UploadPart', 'cut request'),
    rig.shim.harm('CompleteMultipartUpload', 'lost answer'),
  ];
  const downloadRun = await runRequests(rig, ...DOWNLOAD, '--dir', rig.at('data'), '--convert', 'parquet');
  await Promise.all(met);
  assert.deepEqual(outcomes(downloadRun, 'PutObject', trades), ['503', '200']);
  assert.deepEqual(outcomes(downloadRun, 'UploadPart', book), ['reset', '200', '200']);
  assert.deepEqual(outcomes(downloadRun, 'CompleteMultipartUpload', book), ['reset']);
  assert.equal(outcomes(downloadRun, 'PutObject', /\.parquet$/).length, 3, 'of converting threads');

  const cut = rig.shim.harm('GetObject', 'cut answer', 1, book);
  const verified = await runRequests(rig, 'verify', '--dir', rig.at('data'));
  await cut;
  const [whole, broken = '', rest = ''] = outcomes(verified, 'GetObject', book);
  assert.equal(whole, '200');
  assert.match(broken, /^(?:reset|short_body)$/);
  assert.match(rest, /^bytes=\d+-\d* 206$/);

  const words = ['replay', 'binance-futures:BTCUSDT', '-t', 'book_change', '--date', '2024-03-01'];
  await runRequests(rig, ...words, '--dir', rig.at('data'), '-o', `${rig.at('out')}/lines.jsonl`, '--json');
});
