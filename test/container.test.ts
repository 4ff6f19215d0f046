import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { succeeded } from './helpers/cli.js';
import { dayFilesIn, machine, projectText, shell } from './helpers/machine.js';
import { nightlyTest } from './helpers/services.js';

/** The stages of the Dockerfile, each the text from its FROM on; a line is an instruction. */
const STAGES = (await projectText('Dockerfile'))
  .replace(/\\\n\s*/g, '')
  .split(/^(?=FROM )/m)
  .slice(1);
const LAST = STAGES.at(-1) ?? '';

/** What follows the name of an instruction, of each one of a stage. */
function instructions(stage: string, name: string): readonly string[] {
  return [...stage.matchAll(new RegExp(`^${name} (.*)$`, 'gm'))].map(([, rest = '']) => rest);
}

test('what the image is built from is there, and nothing else comes into it', async () => {
  const sources = STAGES.slice(0, -1).flatMap((stage) =>
    instructions(stage, 'COPY').flatMap((line) => line.split(' ').slice(0, -1)),
  );
  assert.ok(sources.includes('src'));
  for (const path of sources) await access(new URL(`../../${path}`, import.meta.url));
  const lines = (await projectText('.dockerignore')).split('\n').filter((line) => /^[^#]/.test(line));
  assert.deepEqual(lines.sort(), ['*', ...sources.map((path) => `!${path}`)].sort());
  for (const line of instructions(LAST, 'COPY')) assert.match(line, /^--from=build /);
});

test('the image runs as a user that is not root, and holds no key', () => {
  assert.deepEqual(instructions(LAST, 'USER'), ['node']);
  assert.doesNotMatch(STAGES.join(''), /KEY/);
});

nightlyTest('the line of docs/how-to/cron.md, with the environment of the image', async (t) => {
  const { dir, bin } = await machine(t);
  const text = (await projectText('docs/how-to/cron.md')).replace(/ \\\n\s*/g, ' ');
  const [, flags = '', words = ''] = /^docker run (--rm .*) tickhaul (.*)$/m.exec(text) ?? [];
  const mounted: Readonly<Record<string, string>> = {
    '/data': join(dir, 'volume'),
    '/config/tickhaul.yaml': join(dir, 'tickhaul.yaml'),
    '/run/secrets/tickhaul-key': join(dir, 'key'),
  };
  assert.deepEqual(
    [...flags.matchAll(/-v \S+:(\/[^:\s]+)/g)].map(([, path]) => path),
    Object.keys(mounted),
  );
  const here = (given: string): string =>
    given.replace(/\/(?:data|config|run)(?:\/[\w.-]+)*/g, (path) => mounted[path] ?? path);
  const pairs = [
    ...instructions(LAST, 'ENV').flatMap((line) => line.split(' ')),
    ...[...flags.matchAll(/-e (\S+)/g)].map(([, pair = '']) => pair),
  ].map((pair) => pair.split('=', 2) as [string, string]);
  const env = Object.fromEntries(pairs.map(([name, value]) => [name, here(value)]));
  const [entry = ''] = JSON.parse(instructions(LAST, 'ENTRYPOINT')[0] ?? '') as string[];
  await succeeded(
    shell(`${entry} ${here(words)}`, {
      ...env,
      PATH: `${bin}:/usr/bin:/bin`,
      XDG_CACHE_HOME: dir,
    }),
  );
  assert.equal(await dayFilesIn(join(dir, 'volume')), 4 + 2);
});
