import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { approveClaim } from '../../helpers/claim-page.js';
import { envOf, type Finished, type Started, start } from '../../helpers/cli.js';

export const EMAIL = 'jo@example.com';
export const LOGIN = ['login', '--email', EMAIL];

export function accountEnv(service: Sandbox, dir: string): Record<string, string> {
  return { ...envOf(service, dir), XDG_CONFIG_HOME: join(dir, '.config') };
}

export const identitiesOf = (dir: string): string => join(dir, '.config', 'tickhaul', 'identities');

/** Contents of the identity files. */
export function storedIn(dir: string): readonly string[] {
  try {
    const names = readdirSync(identitiesOf(dir)).filter((name) => name.endsWith('.json'));
    return names.map((name) => readFileSync(join(identitiesOf(dir), name), 'utf8'));
  } catch {
    return [];
  }
}

/** The link that a sign-in printed. */
export async function linkOf(started: Started): Promise<string> {
  let text = '';
  for (const screen of [started.child.stdout, started.child.stderr]) {
    screen?.on('data', (chunk: string) => {
      text += chunk;
    });
  }
  await started.printed(/claim\?attempt=[\w-]+["\s]/);
  const link = /https?:\/\/\S+?claim\?attempt=[\w-]+/.exec(text)?.[0];
  assert.ok(link, text);
  return link;
}

/** A sign-in whose user opens the page and writes its code to stdin. */
export async function loginWithCode(
  env: Record<string, string>,
  more: readonly string[] = [],
): Promise<Finished> {
  const started = start([...LOGIN, '--json', ...more], { env, keepStdin: true });
  const code = await approveClaim(await linkOf(started), EMAIL);
  started.child.stdin?.end(`${code}\n`);
  return started.finished;
}

/** Every file under a folder except the identities. */
export function otherFiles(dir: string): string {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== identitiesOf(dir))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

export function assertNoSecrets(service: Sandbox, text: string): void {
  assert.ok(service.issuer.secrets.length > 4);
  for (const { kind, value } of service.issuer.secrets) {
    assert.ok(!text.includes(value), `${kind} is shown`);
    assert.ok(!text.includes(encodeURIComponent(value)), `${kind} is shown`);
  }
  assert.ok(!text.includes(service.apiKey), 'the API key is shown');
}
