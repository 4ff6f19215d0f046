import assert from 'node:assert/strict';
import { test } from 'node:test';
import { projectText } from './helpers/machine.js';

interface Fault {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

test('each planted fault replaces text that its file has once', async () => {
  const { FAULTS } = (await import(
    new URL('../../scripts/planted-faults/faults.js', import.meta.url).href
  )) as { readonly FAULTS: readonly Fault[] };
  assert.ok(FAULTS.length >= 20);
  for (const { name, file, from, to } of FAULTS) {
    assert.equal((await projectText(file)).split(from).length, 2, name);
    assert.notEqual(from, to);
  }
});
