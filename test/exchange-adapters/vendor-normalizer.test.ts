import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadVendor, VENDOR_PACKAGE } from '../../src/exchange-adapters/vendor-normalizer.js';
import { tempDir } from '../helpers/temp.js';

const SOURCES = fileURLToPath(new URL('../../src', import.meta.url));

/** Loads the normalizers with a copy of the module, and of what it imports, in a folder without other packages. */
async function loadIn(folder: string): Promise<unknown> {
  for (const module of ['base', 'exchange-adapters', 'market'])
    await cp(join(SOURCES, module), join(folder, module), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const copy = pathToFileURL(join(folder, 'exchange-adapters/vendor-normalizer.js')).href;
  const { loadVendor: load } = (await import(copy)) as { loadVendor: () => Promise<unknown> };
  return load();
}

test('the installed release is the supported one', async () => {
  const text = await readFile(new URL('../../../package.json', import.meta.url), 'utf8');
  const { optionalDependencies } = JSON.parse(text) as { optionalDependencies: Record<string, string> };
  assert.equal(VENDOR_PACKAGE, `tardis-dev@${optionalDependencies['tardis-dev']}`);
  assert.equal(typeof (await loadVendor()).book_ticker, 'function');
});

test('without the package, the error names the install command', async (t) => {
  await assert.rejects(loadIn(await tempDir(t)), {
    code: 'usage',
    message:
      'normalizing feeds needs the package tardis-dev, which is not installed; ' +
      'run npm install tardis-dev@13.35.3, or use --source datasets',
  });
});

test('refuses another release of the package', async (t) => {
  const folder = await tempDir(t);
  const fake = join(folder, 'node_modules/tardis-dev');
  await mkdir(fake, { recursive: true });
  await writeFile(join(fake, 'index.js'), '');
  await writeFile(
    join(fake, 'package.json'),
    '{"name":"tardis-dev","version":"18.2.0","exports":"./index.js"}',
  );
  await assert.rejects(loadIn(folder), {
    message: /is an unsupported release; run npm install/,
  });
});
