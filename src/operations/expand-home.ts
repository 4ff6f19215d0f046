import { usageError } from '../base/errors.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import type { OptionGroup } from '../options/option-definition.js';
import { GLOBAL_OPTIONS } from '../options/service-options.js';

/** Options of a command, keyed by the long names of the flags. */
export type CommandArgs = Readonly<Record<string, unknown>>;

/** Path options of commands that share no options with others, and positional paths. */
const OTHER_PATH_NAMES = ['code-file', 'file', 'folder', 'path', 'replay-dir'];
const PATH_NAMES: ReadonlySet<string> = new Set([
  ...OTHER_PATH_NAMES,
  ...[GLOBAL_OPTIONS, ...Object.values<OptionGroup>(COMMAND_OPTIONS)].flatMap((options) =>
    Object.entries(options).flatMap(([name, { type }]) => (type === 'file' || type === 'folder' ? name : [])),
  ),
]);
/** Values that name a file after an `@`, possibly several. */
const LIST_NAMES: ReadonlySet<string> = new Set(['symbol', 'date', 'days', 'data']);
const LISTED_HOME = /(?<=^|,)(\s*@)(~\/)/g;

/**
 * Expands a `~` at the start of all paths, as the shell does only at the start of a word.
 * @param home undefined if it is not known. @throws usage error for a path that needs it, or names another user's.
 */
export function expandHomeInArgs(args: CommandArgs, home: string | undefined): CommandArgs {
  const expand = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => expand(name, item));
    if (typeof value !== 'string') return value;
    if (PATH_NAMES.has(name)) return expandHome(`--${name}`, value, home);
    if (!LIST_NAMES.has(name)) return value;
    return value.replace(LISTED_HOME, (_, start: string, path: string) => {
      return start + expandHome(`--${name}`, path, home);
    });
  };
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, expand(name, value)]));
}

/**
 * Replaces `~` and `~/…` by the home folder; other paths remain.
 * @param name prefix of the error message.
 * @throws usage error if the home folder is not known, and for `~user/…`: a folder of this name is easily removed by
 * mistake.
 */
export function expandHome(name: string, path: string, home: string | undefined): string {
  const [, user = '', rest = ''] = /^\s*~([\w.-]*)(\/.*)?\s*$/s.exec(path) ?? [undefined];
  if (!/^\s*~/.test(path)) return path;
  if (user !== '' && rest !== '') {
    throw usageError(
      `${name}: "${path}": the home folder of another user is not looked up; write the whole path, or ./${path.trim()}`,
    );
  }
  if (user !== '' || !/^\s*~(?:\/|\s*$)/.test(path)) return path;
  if (home === undefined)
    throw usageError(`${name}: "${path}": the home folder is not known; set HOME, or write the whole path`);
  return home + rest;
}
