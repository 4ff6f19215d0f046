import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fnv1a } from '../src/dataset/shard.js';
import { filterKeys } from '../src/feeds/canonical-filters.js';
import { createFeedFilter, type FeedFilter } from '../src/service/feed-filter.js';

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url));
const SPEC = join(DOCS, 'spec');
const PAGES = readdirSync(SPEC).filter((name) => name.endsWith('.md'));
const textOf = (page: string): string => readFileSync(join(SPEC, page), 'utf8');

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8').replaceAll(/^```.*?^```$/gms, '');
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('links in docs/spec lead to pages and headings that exist', () => {
  for (const page of PAGES) {
    for (const [, target = ''] of textOf(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? join(SPEC, page) : resolve(SPEC, file);
      assert.doesNotThrow(() => readFileSync(path), `${page}: ${target}`);
      if (anchor !== undefined)
        assert.ok(
          anchorsOf(path).includes(anchor),
          `${page}: no heading ${anchor} in ${relative(DOCS, path)}`,
        );
    }
  }
});

test('no two headings of a page in docs/spec share an anchor', () => {
  for (const page of PAGES) {
    const anchors = anchorsOf(join(SPEC, page));
    assert.deepEqual(anchors, [...new Set(anchors)], page);
  }
});

test('docs/spec/README.md lists every page', () => {
  const listed = [...textOf('README.md').matchAll(/\]\(([^)]+\.md)\)/g)].map(([, page]) => page);
  assert.deepEqual(listed.toSorted(), PAGES.filter((page) => page !== 'README.md').toSorted());
});

test('the hashes that docs/spec lists are those of the code', () => {
  const filters = [...textOf('raw-feeds-api.md').matchAll(/^\| `(\[.*\])` \| `([0-9a-f]{64})` \|$/gm)];
  assert.equal(filters.length, 3);
  for (const [, text = '', sum] of filters) {
    const selected = (JSON.parse(text) as FeedFilter[]).map(({ channel, symbols }) =>
      createFeedFilter(channel, symbols),
    );
    assert.equal(filterKeys(selected)[0], sum, text);
  }
  const [, name = '', hash] =
    /^\| `([^`]+\.csv\.gz)` \| (\d+) \| 4 \|$/m.exec(textOf('command-line.md')) ?? [];
  assert.equal(fnv1a(name), Number(hash));
});
