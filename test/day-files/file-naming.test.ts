import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Day, parseDay } from '../../src/day-files/day.js';
import { createFileNamer } from '../../src/day-files/day-file.js';

const TEMPLATES = [
  '{name}',
  '{exchange}/{type}/{symbol}/{name}',
  '{year}-{month}/.{day}{symbol}/{type}{exchange}',
];

test('the name of a file does not depend on the files named before', () => {
  const few = fc.constantFrom('A', '..', 'x/y', '.tickhaul');
  const day = fc.integer({ min: 17_000, max: 25_000 }).map((n) => n as Day);
  const files = fc.array(fc.record({ exchange: few, dataType: few, symbol: few, day }));
  fc.assert(
    fc.property(files, fc.constantFrom(...TEMPLATES), (all, template) => {
      const nameOf = createFileNamer(template);
      for (const file of all) assert.equal(nameOf(file), createFileNamer(template)(file));
    }),
  );
});

test('words of a template that are properties of objects are not placeholders', () => {
  const file = { exchange: 'x', dataType: 'trades', symbol: 'A', day: parseDay('2024-03-01') };
  assert.equal(createFileNamer('constructor{symbol}toString{day}')(file), 'constructorAtoString01');
});
