import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { failedWith, start, tickhaul } from '../../helpers/cli.js';
import { isAlive } from '../../helpers/is-alive.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { serve } from '../../service/loopback.js';

const DOWNLOAD = ['download', 'binance', '-t', 'trades', '-s', 'BTCUSDT', '--date', '2024-03-01'];
const TO_STORE = ['--dir', 's3://bucket/data', '--s3-endpoint', 'http://127.0.0.1:9'];
/** Limits for a program that hangs. On a busy machine it may not have begun within the first. */
const LIMITS = ['2s', '20s', '80s'];

interface Helper {
  readonly env: Record<string, string>;
  /** Process ids of the script and of the program that it has started; undefined until both run. */
  pids(): Promise<readonly number[] | undefined>;
}

/** A profile whose credential_process starts a program and waits for it forever. */
async function hangingHelper(t: TestContext): Promise<Helper> {
  const dir = await tempDir(t);
  const [script, config, pids] = [join(dir, 'helper.sh'), join(dir, 'config'), join(dir, 'pids')];
  await writeFile(script, `#!/bin/sh\nsleep 1000 &\necho $$ $! > ${pids}\nwait\n`);
  await chmod(script, 0o755);
  await writeFile(config, `[profile slow]\ncredential_process = ${script}\n`);
  return {
    env: {
      AWS_PROFILE: 'slow',
      AWS_CONFIG_FILE: config,
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
      TICKHAUL_API_KEY: 'made-up',
    },
    async pids() {
      const found = (await readFile(pids, 'utf8').catch(() => '')).trim().split(' ').map(Number);
      return found.length === 2 ? found : undefined;
    },
  };
}

async function assertEnded({ pids }: Helper): Promise<void> {
  for (const pid of (await pids()) ?? [])
    await until(`the end of process ${pid}`, async () => !isAlive(pid) || (await isZombie(pid)));
}

/** The process has ended, but its parent has not waited for it yet. */
async function isZombie(pid: number): Promise<boolean> {
  return / Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ' Z '));
}

for (const command of [DOWNLOAD, ['verify'], ['verify', '--listed']]) {
  test(`${command.join(' ')}: ends a credential_process that hangs, with its descendants`, async (t) => {
    const helper = await hangingHelper(t);
    for (const limit of LIMITS) {
      const words = [...command, '--stall-timeout', limit, ...TO_STORE];
      const { exitCode, stderr } = await tickhaul(words, { env: helper.env });
      assert.equal(exitCode, 5, stderr);
      const says = `no credentials for the object store: the profile's credential_process returned none within`;
      assert.ok(
        stderr.startsWith(`tickhaul: ${says} `) && stderr.endsWith('; check that it responds\n'),
        stderr,
      );
      if (await helper.pids()) break;
    }
    assert.ok(await helper.pids(), 'it ran');
    await assertEnded(helper);
  });
}

test('a signal ends a credential_process that hangs', async (t) => {
  const helper = await hangingHelper(t);
  const { child, finished } = start([...DOWNLOAD, ...TO_STORE], { env: helper.env });
  await until('the helper', helper.pids, finished);
  child.kill('SIGTERM');
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 143, stderr);
  assert.doesNotMatch(stderr, /not over/);
  await assertEnded(helper);
});

test('gives up on silent credential hosts after the stall timeout', async (t) => {
  const silent = await serve(t, () => {});
  const { host } = new URL(silent);
  const home = await tempDir(t);
  const startUrl = 'https://sign-in.example/start';
  const token = { accessToken: 'made-up', expiresAt: '2999-01-01T00:00:00Z' };
  const config = `[profile sso]
sso_start_url = ${startUrl}
sso_region = us-east-1
sso_account_id = 123456789012
sso_role_name = reader
`;
  await mkdir(join(home, '.aws/sso/cache'), { recursive: true });
  await writeFile(join(home, '.aws/config'), config);
  const cached = `${createHash('sha1').update(startUrl).digest('hex')}.json`;
  await writeFile(join(home, '.aws/sso/cache', cached), JSON.stringify(token));
  const sources = {
    container: { AWS_CONTAINER_CREDENTIALS_FULL_URI: `${silent}/credentials` },
    machine: { AWS_EC2_METADATA_SERVICE_ENDPOINT: silent },
    'single sign-on': { AWS_PROFILE: 'sso', AWS_ENDPOINT_URL_SSO: silent },
  };
  for (const [name, variables] of Object.entries(sources)) {
    const env = { HOME: home, TICKHAUL_API_KEY: 'made-up', ...variables };
    const words = [...DOWNLOAD, ...TO_STORE, '--stall-timeout', '300ms'];
    const { stderr } = await failedWith(
      tickhaul(words, { env }),
      5,
      /^tickhaul: no credentials for the object store: .* returned none within 0\.3s; .*\n$/,
    );
    assert.ok(stderr.includes(host.replace(/:.*/, '')), `${name}: ${stderr}`);
  }
});
