import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { readChartParts } from '../../../../src/base/page/base-style.js';
import { renderCoveragePage } from '../../../../src/describe/coverage/page/render-coverage-page.js';
import { readCoveragePageScript } from '../../../../src/describe/coverage/page/render-report.js';
import { readCoverage } from '../../../../src/describe/coverage/read-coverage.js';
import { openFolderDestination } from '../../../../src/store/folder/folder-destination.js';
import { tempDir } from '../../../helpers/temp.js';
import { createFolder } from '../folders.js';

test('the page has no external references and does not contain the path of the folder', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [{ from: '2024-03-01', days: 'p' }]);
  const coverage = await readCoverage(openFolderDestination(dir), {
    selection: {},
    warn: assert.fail,
    signal: new AbortController().signal,
  });
  const html = renderCoveragePage(coverage, { dir, now: 0 });
  assert.equal(html.includes(dir), false);
  assert.equal(/(?:src|href)="(?!data:)/.test(html), false);
  assert.equal(/@import|url\((?!data:)/.test(html), false);
});

test('the scripts are valid and contain no text that ends their element', () => {
  for (const code of [readChartParts().script, readCoveragePageScript()]) {
    assert.equal(/<\/script|<!--/i.test(code), false);
    // Compiled but not run: a remaining import or export statement is a syntax error.
    assert.ok(new Script(code));
  }
});

test('escapes HTML in symbols', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [{ symbol: '</script><img src=x>', from: '2024-03-01', days: 'p' }]);
  const { signal } = new AbortController();
  const coverage = await readCoverage(openFolderDestination(dir), {
    selection: {},
    warn: assert.fail,
    signal,
  });
  const html = renderCoveragePage(coverage, { dir: '<b>"&', now: 0 });
  assert.equal(html.includes('<img'), false);
  assert.equal(html.match(/<\/script>/g)?.length, 3);
  assert.ok(html.includes('<h1>Coverage of &#60;b&#62;&#34;&#38;</h1>'));
});
