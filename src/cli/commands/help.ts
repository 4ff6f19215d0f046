import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { isSystemError, TickhaulError, toDiskError, usageError } from '../../base/errors.js';
import { packagePath } from '../../base/packages.js';
import { toJsonLine } from '../../events/json-events.js';
import type { CommandAction, HelpTopic, HelpTopics } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { formatMarkdown } from '../output/text/markdown.js';
import { screenColumns } from '../output/text/screen.js';

/** The command `help <topic>`; `help <command>` is `<command> --help`. */
export function createHelpCommand(topics: HelpTopics): CommandAction {
  const options = {
    topic: {
      type: 'choice',
      description: 'a command, as help download for download --help; or a topic',
      choices: Object.keys(topics) as [string, ...string[]],
      positional: true,
    },
  } as const;
  return defineCommand(options, {
    examples: [
      ['$0 help exit-codes', 'what each exit code means, and what to do'],
      ['$0 help selection --json', 'the Markdown of a page, for programs'],
    ],
    async run({ topic: name = '' }, { output, stdout }) {
      const topic = topics[name];
      if (topic === undefined) throw usageError('no topic given; see tickhaul help');
      const sections = readSections(topic);
      await output.result({
        json: () => toJsonLine(describeTopic(name, topic, sections)),
        text: async () => {
          const { bold } = await output.chalk(stdout);
          const columns = Math.min(screenColumns(stdout), 120);
          return formatTopic(name, topic, sections, topics, { columns, heading: bold });
        },
      });
      return 0;
    },
  });
}

/** A part of a page: its heading, empty for the first lines, and its Markdown. */
interface Section {
  readonly title: string;
  readonly markdown: string;
}

/** Reads the sections of a topic from its page. @throws TickhaulError `disk`. */
export function readSections({ page, sections }: HelpTopic): readonly Section[] {
  const path = packagePath(page);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // The advice for other missing files is to choose another folder.
    const isMissing = isSystemError(error) && error.code === 'ENOENT';
    if (isMissing) throw new TickhaulError('disk', `${path}: this page is missing; install tickhaul again`);
    throw toDiskError(error, path, 'disk');
  }
  const [first = '', ...parts] = text.split(/^## /m);
  const all = parts.map((part) => ({
    title: part.slice(0, part.indexOf('\n')),
    markdown: part.slice(part.indexOf('\n')).trim(),
  }));
  // The name of the topic replaces the title of the page.
  const start = { title: '', markdown: first.replace(/^# .*\n/, '').trim() };
  return [start, ...all.filter(({ title }) => sections?.includes(title) ?? true)];
}

/** A topic as `help <topic> --json` prints it. */
function describeTopic(name: string, { describe, page }: HelpTopic, sections: readonly Section[]): unknown {
  return { name, description: describe, page: packagePath(page), sections };
}

/** Formats a topic as text, with citations that a terminal can open. */
function formatTopic(
  name: string,
  { describe, page }: HelpTopic,
  sections: readonly Section[],
  topics: HelpTopics,
  style: { readonly columns: number; readonly heading: (text: string) => string },
): string {
  const cite = (label: string, target: string): string => citePage(label, target, page, topics);
  const texts = sections.map(({ title, markdown }) => {
    const text = formatMarkdown(markdown, { ...style, cite });
    return title === '' ? text : `${style.heading(title)}\n\n${text}`;
  });
  return [style.heading(`${name}: ${describe}`), ...texts, `The whole page: ${packagePath(page)}`]
    .join('\n\n')
    .concat('\n');
}

/** The text for a link of a page: with the command that prints its target, or the target's path in the package. */
function citePage(label: string, target: string, page: string, topics: HelpTopics): string {
  if (/^[a-z]+:/.test(target)) return label === target ? label : `${label} (${target})`;
  const [file = ''] = target.split('#');
  if (file === '') return label;
  const path = posix.join(posix.dirname(page), file);
  const [, command] = /^docs\/reference\/commands\/(.+)\.md$/.exec(path) ?? [];
  if (command !== undefined) return `${label} (tickhaul help${command === 'README' ? '' : ` ${command}`})`;
  const [topic] = Object.entries(topics).find((entry) => entry[1].page === path && !entry[1].sections) ?? [];
  return `${label} (${topic === undefined ? path : `tickhaul help ${topic}`})`;
}
