import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { redactSecret, Secrets } from '../../src/base/secrets.js';

test('removes every secret from a text, in its plain, JSON and form-encoded variants', () => {
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

const hexOf = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
/** Ways in which a server may echo a secret. */
const ECHOES: Readonly<Record<string, (secret: string) => string>> = {
  'URL-encoded': encodeURIComponent,
  'URL-encoded with small digits': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  'URL-encoded as a whole': hexOf,
  'URL-encoded in part': (secret) =>
    [...secret].map((char, index) => (index % 2 ? hexOf(char) : char)).join(''),
  'URL-encoded twice': (secret) => encodeURIComponent(hexOf(secret)),
  'form-encoded': (secret) => new URLSearchParams({ _: secret }).toString().slice(2),
  'as JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'as JSON of ASCII': (secret) =>
    secret.replace(
      /[^a-z]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`,
    ),
  'as HTML': (secret) =>
    secret
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll("'", '&#39;')
      .replaceAll('"', '&#x22;'),
};

for (const [form, echo] of Object.entries(ECHOES)) {
  test(`removes a secret that is echoed ${form}`, () => {
    // Characters of keys, and some of more than one byte.
    const letter = fc.constantFrom(...'abzAZ019._~!*()\'-+/=&%<"\\ é€😀');
    fc.assert(
      fc.property(fc.array(letter, { minLength: 8, maxLength: 40 }), (letters) => {
        const secret = letters.join('');
        const secrets = new Secrets();
        secrets.add(secret);
        const text = `in /path?key=${echo(secret)}: no`;
        assert.equal(secrets.redact(text), 'in /path?key=***: no');
        assert.equal(redactSecret(text, secret), 'in /path?key=***: no');
      }),
    );
  });
}

test('removes a code from an error response, in any case and with any separators', () => {
  const letter = fc.constantFrom(...'ABCDxyz0123.+*(');
  const code = fc.array(letter, { minLength: 1, maxLength: 12 });
  const gap = fc.constantFrom('', '-', ' ', '\u2013', '\u200b');
  fc.assert(
    fc.property(code, gap, fc.boolean(), (letters, between, isUpper) => {
      const secrets = new Secrets();
      const typed = letters.join('');
      assert.equal(secrets.addCode(typed), typed);
      const shown = letters.join(between);
      const echoed = isUpper ? shown.toUpperCase() : shown.toLowerCase();
      assert.equal(secrets.redactQuote(`the code "${echoed}" is wrong`), 'the code "***" is wrong');
    }),
  );
});

test('removes a short code only as a whole word, and only from error responses', () => {
  const secrets = new Secrets();
  secrets.addCode('1');
  assert.equal(secrets.redactQuote('1 of 10: code=1'), '*** of 10: code=***');
  assert.equal(secrets.redact('{"keys":1}'), '{"keys":1}');
});

test('ignores texts that are too short to be secrets', () => {
  const secrets = new Secrets();
  secrets.add('the');
  assert.equal(secrets.redact('the end'), 'the end');
});

test('removes secrets from the message, the stack and the causes of an error', () => {
  const secrets = new Secrets();
  secrets.add('TD.secret');
  const error = new Error('bad TD.secret', { cause: new TypeError('TD.secret is no number') });
  assert.equal(secrets.redactError(error), error);
  assert.ok(!inspect(error).includes('TD.secret'));
});
