import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { commandName } from '../src/cli/arguments/define-flags.js';
import { COMMANDS, HELP_TOPICS } from '../src/cli/commands/command-list.js';
import { fnv1a } from '../src/day-files/shard.js';
import { readSyncJobs } from '../src/operations/sync.js';
import { parseConfig } from '../src/options/parse-config.js';
import { readOptions } from '../src/options/read-options.js';
import { filterKeys } from '../src/raw-feeds/open-feed.js';
import { createFeedFilter, type FeedFilter } from '../src/service/feed-filter.js';
import { filesOfPackage } from './helpers/package-files.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Files of a folder of the project, by paths from its root with `/`. */
function filesIn(folder: string, recursive = true): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive, encoding: 'utf8' })
    .map((name) => posix.join(folder, ...name.split(/[\\/]/)))
    .sort();
}

function markdownIn(folder: string, recursive = true): readonly string[] {
  return filesIn(folder, recursive).filter((path) => path.endsWith('.md'));
}

const DOCS = markdownIn('docs');
const PAGES = [...markdownIn('.', false), ...DOCS, ...markdownIn('src'), ...markdownIn('test')];
/** Eight sentences, and a table or a list of what was rejected. */
const MAX_DECISION_CHARACTERS = 2000;
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const withoutCode = (text: string): string =>
  text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/^ {4}.*$/gm, '');

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): readonly string[] {
  return [...withoutCode(textOf(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Whether a page exists, and has the heading of an anchor. */
function isHeading(path: string, anchor: string | undefined): boolean {
  return existsSync(join(ROOT, path)) && (anchor === undefined || anchorsOf(path).includes(anchor));
}

/** Relative targets of a page's links and images. */
function linksOf(page: string): readonly string[] {
  return [...withoutCode(textOf(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** Pages that a page links to, by paths from the root of the project. */
function linkedFrom(page: string): readonly string[] {
  return linksOf(page)
    .map((target) => target.split('#')[0] ?? '')
    .filter((file) => file !== '')
    .map((file) => posix.join(dirname(page), file));
}

test('every relative link leads to a file and a heading that exist', () => {
  assert.ok(PAGES.length > 50);
  const broken = [...PAGES, 'llms.txt'].flatMap((page) =>
    linksOf(page).flatMap((target) => {
      const [file = '', anchor] = target.split('#');
      const path = file === '' ? page : posix.join(dirname(page), file);
      return isHeading(path, anchor) ? [] : [`${page}: ${target}`];
    }),
  );
  assert.deepEqual(broken, []);
});

test('every page and heading that code cites exists, and a specification is cited by heading', () => {
  const wrong = ['bin', 'src', 'test', 'bench', 'scripts'].flatMap((folder) =>
    filesIn(folder)
      .filter((file) => /\.[jt]s$/.test(file) && !file.includes('node_modules'))
      .flatMap((file) =>
        [...textOf(file).matchAll(/^(.*?)\b(docs\/[\w./-]+\.md)(?:#([\w-]*))?/gm)].flatMap(
          ([text, before = '', path = '', anchor]) => {
            const isComment = /^\s*(?:\/\/|\/?\*)/.test(before);
            const needsHeading = isComment && path.startsWith('docs/spec/');
            const isRight = isHeading(path, anchor) && (anchor !== undefined || !needsHeading);
            return isRight ? [] : [`${file}: ${text.trim()}`];
          },
        ),
      ),
  );
  assert.deepEqual(wrong, []);
});

test('messages cite pages of the package, and help that exists', () => {
  const isPackaged = filesOfPackage();
  const known = [...COMMANDS.map(commandName), ...Object.keys(HELP_TOPICS)];
  const cited = filesIn('src')
    .filter((file) => /\.(?:ts|html)$/.test(file))
    .flatMap((file) => {
      const code = textOf(file).replaceAll(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm, '');
      const pages = [...code.matchAll(/(?<![\w/])[\w./-]+\.md\b/g)].map(([page]) => page);
      const helps = [...code.matchAll(/tickhaul help ([a-z][a-z-]*)/g)].map(([, word = '']) => word);
      return [...pages.map((page) => ({ file, page })), ...helps.map((word) => ({ file, word }))];
    });
  assert.ok(cited.length > 5);
  const wrong = cited.filter((cite) =>
    'page' in cite ? !isPackaged(cite.page) : !known.includes(cite.word),
  );
  assert.deepEqual(wrong, []);
});

test('no two headings of a page share an anchor', () => {
  for (const page of PAGES) {
    const anchors = anchorsOf(page);
    assert.deepEqual(anchors, [...new Set(anchors)], page);
  }
});

for (const index of [
  'docs/spec/README.md',
  'docs/decisions/README.md',
  'docs/reference/commands/README.md',
]) {
  test(`${index} lists every page of its folder`, () => {
    const pages = markdownIn(dirname(index)).filter((page) => page !== index);
    assert.deepEqual(
      pages.filter((page) => !linkedFrom(index).includes(page)),
      [],
    );
  });
}

test('docs/README.md and llms.txt list every page', () => {
  const pages = DOCS.filter(
    (page) => !/^docs\/(?:README\.md|(?:spec|decisions|reference\/commands)\/(?!README))/.test(page),
  );
  for (const index of ['docs/README.md', 'llms.txt'])
    assert.deepEqual(
      pages.filter((page) => !linkedFrom(index).includes(page)),
      [],
      index,
    );
});

test('files and folders of the project that a page names exist', () => {
  const named = PAGES.filter((page) => page !== 'CHANGELOG.md').flatMap((page) =>
    [...textOf(page).matchAll(/`([^`\s]+)`/g)].flatMap(([, name = '']) => {
      if (/^(?:bench|bin|docs|scripts|src|test)\/[^*<>]*$/.test(name)) return [{ page, path: name }];
      // A README in src names files of its folder.
      const isOfFolder = page.startsWith('src/') && /^[a-z0-9-]+(?:\.ts|\/)$/.test(name);
      return isOfFolder ? [{ page, path: posix.join(dirname(page), name) }] : [];
    }),
  );
  assert.ok(named.length > 100);
  assert.deepEqual(
    named.filter(({ path }) => !existsSync(join(ROOT, path))),
    [],
  );
});

test('files of code that a comment in src names exist', () => {
  const code = ['bench', 'bin', 'scripts', 'src', 'test'].flatMap((folder) =>
    filesIn(folder).filter((file) => /\.[cm]?[jt]s$/.test(file)),
  );
  const named = code
    .filter((file) => file.startsWith('src/'))
    .flatMap((file) =>
      [...textOf(file).matchAll(/^\s*(?:\/\/|\/?\*).*$|\s\/\/ .*$/gm)].flatMap(([comment]) =>
        [...comment.matchAll(/(?<![\w./…-])[a-z0-9-]+(?:[./][a-z0-9-]+)*\.[jt]s\b/g)].map(([name]) => ({
          file,
          name,
        })),
      ),
    );
  assert.ok(named.length > 30);
  assert.deepEqual(
    named.filter(({ name }) => !code.some((path) => `/${path}`.endsWith(`/${name}`))),
    [],
  );
});

test('the README is under 200 lines', () => {
  assert.ok(textOf('README.md').split('\n').length < 200);
});

test('decisions are at most 40 pages by subject, whose sections begin with their date and are short', () => {
  const pages = markdownIn('docs/decisions').filter((path) => !path.endsWith('README.md'));
  assert.ok(pages.length <= 40);
  const wrong = pages.flatMap((page) => {
    const [, ...sections] = textOf(page).split(/^## /m);
    assert.ok(sections.length > 0, page);
    return sections
      .filter((text) => !/^.+\n\n2\d{3}-\d\d-\d\d[.,] /.test(text) || text.length > MAX_DECISION_CHARACTERS)
      .map((text) => `${page}: ${text.split('\n')[0]}`);
  });
  assert.deepEqual(
    [...wrong, ...pages.filter((page) => /\d/.test(posix.basename(page, '.md')[0] ?? ''))],
    [],
  );
});

test('config files on pages, and parts of them, have valid settings', async () => {
  const job = 'jobs: [{ name: a, exchange: deribit, types: trades, symbols: A, last: 7d }]';
  let count = 0;
  for (const page of PAGES) {
    for (const [, yaml = ''] of textOf(page).matchAll(/^```ya?ml\n(.*?)^```$/gms)) {
      // A list of steps is part of a workflow.
      if (yaml.startsWith('- ')) continue;
      const file = parseConfig(/^jobs:/m.test(yaml) ? yaml : `${yaml}${job}`, page);
      await readSyncJobs(file, readOptions({}, {}), new AbortController().signal);
      count++;
    }
  }
  assert.ok(count >= 4);
});

test('the hashes that docs/spec lists are those of the code', () => {
  const filters = [
    ...textOf('docs/spec/raw-feeds-api.md').matchAll(/^\| `(\[.*\])` \| `([0-9a-f]{64})` \|$/gm),
  ];
  assert.equal(filters.length, 3);
  for (const [, text = '', sum] of filters) {
    const selected = (JSON.parse(text) as FeedFilter[]).map(({ channel, symbols }) =>
      createFeedFilter(channel, symbols),
    );
    assert.equal(filterKeys(selected)[0], sum, text);
  }
  const [, name = '', hash] =
    /^\| `([^`]+\.csv\.gz)` \| (\d+) \| 4 \|$/m.exec(textOf('docs/spec/command-line.md')) ?? [];
  assert.equal(fnv1a(name), Number(hash));
});
