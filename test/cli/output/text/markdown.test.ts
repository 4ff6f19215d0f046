import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMarkdown } from '../../../../src/cli/output/text/markdown.js';

const STYLE = {
  columns: 40,
  heading: (text: string) => `<${text}>`,
  cite: (label: string, target: string) => `${label} (${target})`,
};

const PAGE = `\
## A heading with \`code\`

A paragraph with **bold** _words_, \`code\`, a sign \`-\` and [a \`link\`](page.md#part) in it.

- an item that is too long for a single line
  - one below
1. a number

\`\`\`sh
tickhaul help
\`\`\`

\`\`\`sh
tickhaul help   # a comment that is too long
tickhaul help --not-wrapped --since-it-may-be-copied
  indented
\`\`\`

| name | meaning | what to do |
| --- | --- | --- |
| \`a\\|b\` | short | a longer text in this column |
| c | a longer text in this column too | |

The end.
`;

const TEXT = `\
<A heading with code>

A paragraph with bold words, code, a
sign \`-\` and a link (page.md#part) in
it.

- an item that is too long for a single
  line
  - one below
1. a number

    tickhaul help

    # a comment that is too long
    tickhaul help
    tickhaul help --not-wrapped --since-it-may-be-copied
      indented

NAME  MEANING            WHAT TO DO

a|b   short              a longer text
                         in this column

c     a longer text in
      this column too

The end.`;

test('formats headings, paragraphs, lists, code and tables for a terminal', () => {
  assert.equal(formatMarkdown(PAGE, STYLE), TEXT);
});

test('a table that fits has one line for each row', () => {
  const table = '| name | meaning |\n| --- | --- |\n| `a` | short |\n';
  assert.equal(formatMarkdown(table, STYLE), 'NAME  MEANING\na     short');
});
