import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { assertReadable, browserFor, openPage, takePicture } from '../../helpers/browser.js';
import { sandbox } from '../../helpers/sandbox.js';
import { browserTest } from '../../helpers/services.js';
import { assertRefused, claimToken, createSteps, EMAIL, startAttempt } from './helpers.js';

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(`in a ${colorScheme} browser: wrong account, switch, organization, code, denied`, async (t) => {
    const browser = await browserFor(t);
    const service = await sandbox(t, { issuer: { organizations: ['Research', 'Trading desk'] } });
    const token = await claimToken(service);
    const { page, problems } = await openPage(
      t,
      browser,
      { colorScheme, viewport: { width: 375, height: 667 } },
      (url) => url.startsWith(service.issuerUrl),
    );
    const uri = await startAttempt(service, token);

    await page.goto(uri);
    await assertShows(page, 'Sign in', `${colorScheme}-sign-in`);
    assert.equal(await page.getByLabel('E-mail').inputValue(), EMAIL);
    await page.getByLabel('E-mail').fill('someone.else@example.com');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await assertShows(page, 'Wrong account', `${colorScheme}-wrong-account`);
    assertRefused(await createSteps(service).complete(token, 'AAAA'), 'claim_not_confirmed');

    await page.getByRole('button', { name: 'Switch account' }).click();
    await assertShows(page, 'Sign in');
    // With the keyboard only.
    await page.getByLabel('E-mail').press('Enter');
    await assertShows(page, 'Choose an organization', `${colorScheme}-choose`);
    await page.getByLabel('Trading desk').check();
    await page.getByRole('button', { name: 'Continue' }).click();
    await assertShows(page, 'Your code', `${colorScheme}-code`);
    assert.match(await page.getByLabel('Code', { exact: true }).innerText(), /^\w{4}-\w{4}$/);

    await page.getByRole('button', { name: 'Deny' }).click();
    await assertShows(page, 'Access denied', `${colorScheme}-denied`);
    assertRefused(await createSteps(service).complete(token, 'AAAA'), 'claim_denied');
    assert.deepEqual(problems, []);
  });
}

browserTest(
  'in a browser without scripts: the code is shown, completes the claim, and disappears',
  async (t) => {
    const browser = await browserFor(t);
    const service = await sandbox(t);
    const token = await claimToken(service);
    const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const uri = await startAttempt(service, token);
    await page.goto(uri);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const code = await page.locator('#user-code').innerText();
    assert.equal((await createSteps(service).complete(token, code.replaceAll('-', ''))).status, 200);
    await page.reload();
    assert.equal(await page.getByRole('heading').innerText(), 'All done');
    assert.equal(await page.locator('#user-code').count(), 0);
    // The session outlives the claim.
    await page.goto(await startAttempt(service, await claimToken(service)));
    assert.equal(await page.getByRole('heading').innerText(), 'Your code');
  },
);

/** The heading exists, the content fits the page, and every text is legible. */
async function assertShows(page: Page, heading: string, name?: string): Promise<void> {
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
  await assertReadable(page, heading);
  if (name) await takePicture(page, name);
}
