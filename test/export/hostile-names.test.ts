import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import { formatConfig } from '../../src/export/freqtrade/freqtrade-setup.js';
import { formatHftbacktestScript } from '../../src/export/hftbacktest/hftbacktest-setup.js';
import { formatNautilusScript, formatRustNautilusScript } from '../../src/export/nautilus/nautilus-setup.js';
import { instrumentOn } from '../../src/service/records/fetch-instruments.js';
import { noPython } from '../helpers/python.js';
import { XBTUSD } from './sample-instruments.js';

/** Names that would become code, or end a text, if they were inserted as they are. */
const HOSTILE = [
  '"\nimport os\nos.system("touch pwned")\n#',
  '"""\nraise SystemExit\n"""',
  "'''\\",
  '\\',
  '{}{0.__class__}%s%(name)s$(exit)`exit`',
  '../../\0/x\r\n\u2028\u2029\u202e\ud800',
];

/** Prints the tree of a script without its texts, and these. */
const PARSE = `
import ast, json, sys
texts = []
tree = ast.parse(sys.stdin.buffer.read())
for node in ast.walk(tree):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        texts.append(node.value)
        node.value = ""
print(json.dumps([ast.dump(tree), texts]))
`;

function parsePython(script: string): [tree: string, texts: readonly string[]] {
  return JSON.parse(execFileSync('python3', ['-c', PARSE], { input: script, encoding: 'utf8' }));
}

const SCRIPTS: Readonly<Record<string, (name: string) => string>> = {
  hftbacktest: (name) =>
    formatHftbacktestScript({
      exchange: name,
      symbol: name,
      firstDay: '2024-03-01',
      lastDay: '2024-03-02',
      facts: {
        tickSize: '0.1',
        lotSize: '1',
        isInverse: false,
        contractSize: '1',
        makerFee: '0',
        takerFee: '0',
      },
    }),
  nautilus: (name) => formatNautilusScript({ id: name, data: 'trade_tick', currencies: [name, name] }),
  bars: (name) => formatNautilusScript({ id: name, data: 'bar', barType: name, currencies: [name] }),
  rust: (name) => formatRustNautilusScript({ id: name, data: 'trade_tick', currencies: [name, name] }),
  'rust-bars': (name) =>
    formatRustNautilusScript({ id: name, data: 'bar', barType: name, currencies: [name] }),
};

for (const [target, format] of Object.entries(SCRIPTS))
  test(`no name becomes code in a script: ${target}`, { skip: noPython('ast') }, () => {
    const [tree] = parsePython(format('NAME'));
    for (const name of HOSTILE) {
      const [hostileTree, texts] = parsePython(format(name));
      assert.equal(hostileTree, tree, name);
      assert.ok(texts.includes(name) || texts.includes(`1000000 ${name}`), name);
    }
  });

test('pairs are texts of the configuration', () => {
  for (const pair of HOSTILE) {
    const fundingTimeframes = ['1h', '1h'] as const;
    const text = formatConfig({
      exchange: pair,
      pairs: [pair],
      timeframe: '1m',
      fundingTimeframes,
      fee: '0',
    });
    assert.deepEqual(JSON.parse(text).exchange, { name: pair, pair_whitelist: [pair] });
  }
});

test('sizes and fees are decimals or unknown, whatever the metadata have', () => {
  const day = parseDay('2024-11-01');
  for (const value of [
    ...HOSTILE,
    '1)+exit(',
    '0x10',
    '1_0',
    ' 1',
    '1\n',
    'NaN',
    '1e999',
    Number.NaN,
    [1],
    {},
  ]) {
    const hostile = { priceIncrement: value, contractMultiplier: value, makerFee: value, takerFee: value };
    const { since: _, ...values } = instrumentOn({ ...XBTUSD, ...hostile, changes: value }, day);
    assert.deepEqual(values, { amountIncrement: '100', minTradeAmount: '100' }, String(value));
    const changes = [{ until: '2030-01-01T00:00:00.000Z', ...hostile }];
    assert.equal(instrumentOn({ ...XBTUSD, changes }, day).makerFee, undefined);
  }
});
