import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Secrets } from '../../../src/service/http/secrets.js';

test('no secret is left in a text, as it is, in JSON or in a form', () => {
  const secret = fc.string({ minLength: 8 }).filter((text) => !/[*&]/.test(text));
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1 }), (list) => {
      const secrets = new Secrets();
      for (const one of list) assert.equal(secrets.add(one), one);
      const forms = list.flatMap((one) => [
        one,
        `a part of ${one}`,
        JSON.stringify(one),
        new URLSearchParams({ key: one }).toString(),
      ]);
      const shown = secrets.redact(forms.join(' & '));
      for (const one of list) assert.ok(!shown.includes(one), one);
    }),
  );
});

test('what is too short to be a secret is left alone', () => {
  const secrets = new Secrets();
  secrets.add('the');
  assert.equal(secrets.redact('the end'), 'the end');
});
