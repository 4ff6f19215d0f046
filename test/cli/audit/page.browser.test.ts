import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFault } from '../../../src/sandbox/hosts/sandbox-faults.js';
import { openHtml } from '../../describe/coverage/page/reports.js';
import { browserFor, takePicture } from '../../helpers/browser.js';
import { succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { browserTest } from '../../helpers/services.js';

const TYPES = ['incremental_book_L2', 'quotes', 'trades'] as const;

/** What the page says of the day of each data type. */
const CONDITIONS: Readonly<Record<DataFault, readonly string[]>> = {
  gap: ['degraded: gap, crossed', 'degraded: gap', 'degraded: gap, id_gap'],
  'duplicate-trades': ['available', 'available', 'degraded: duplicate_row, duplicate_id'],
  'crossed-book': ['degraded: crossed', 'degraded: crossed', 'available'],
  'lost-snapshot': ['degraded: no_start_snapshot', 'available', 'available'],
  'clock-step': ['degraded: local_order', 'degraded: local_order', 'degraded: local_order'],
};

browserTest('each fault of the sandbox is on the page of an audit', async (t) => {
  const browser = await browserFor(t);
  for (const [fault, conditions] of Object.entries(CONDITIONS)) {
    await t.test(fault, async (t) => {
      const { dir, env } = await sandboxAndFolder(t, { rows: 2000, faults: { [fault]: 1 } });
      const selection = ['deribit', '-t', TYPES.join(','), '-s', 'BTC-PERPETUAL', '--date', '2024-03-05'];
      await succeeded(runHere(['download', ...selection], { env }));
      await succeeded(runHere(['verify'], { env }));
      const html = join(dir, 'audit.html');
      const audited = await succeeded(runHere(['audit', '--html', html], { env }));
      assert.ok(audited.stderr.includes(`${html}: written\n`));

      const { page, problems } = await openHtml(t, browser, await readFile(html, 'utf8'));
      for (const [index, dataType] of TYPES.entries()) {
        await page.getByRole('application', { name: `deribit ${dataType} BTC-PERPETUAL` }).focus();
        await page.keyboard.press('Home');
        await page.keyboard.press('Enter');
        const heading = page.locator('article').nth(index).getByRole('heading', { level: 4 });
        assert.equal(await heading.innerText(), `2024-03-05, Tuesday: ${conditions[index]}`);
      }
      assert.deepEqual(problems, []);
      await takePicture(page, `fault-${fault}`, true);
    });
  }
});
