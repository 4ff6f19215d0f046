import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { toIndentedJson, toJsonLine } from '../../src/events/json-events.js';

test('JSON keeps its value, with control characters escaped', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.boolean(), (value, indented) => {
      const text = indented ? toIndentedJson(value) : toJsonLine(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.ok(!/[^\P{C}\n]/u.test(text), JSON.stringify(text));
      if (!indented) assert.equal(text.indexOf('\n'), text.length - 1);
    }),
  );
});

test('controls, direction marks and tags are escaped, letters are not', () => {
  const shown = toJsonLine('é\u001b[31m\u009b\u202e\u{e0001}日');
  assert.equal(shown, '"é\\u001b[31m\\u009b\\u202e\\udb40\\udc01日"\n');
});
