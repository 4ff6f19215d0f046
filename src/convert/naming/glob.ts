import { join, normalize, sep } from 'node:path';

const SPECIAL = /[*?[{]/;

/** Whether a path has a glob's characters in it. */
export function isPathGlob(path: string): boolean {
  return SPECIAL.test(path);
}

/** The folder under which all that a glob may match lies. */
export function globBase(glob: string): string {
  const parts = slashes(glob).split('/');
  const plain = parts.slice(0, parts.findIndex(isPathGlob));
  return plain.length === 0 ? '.' : plain.join('/') || '/';
}

/**
 * A test for paths below `globBase`: `*` and `?` stand for characters of a name, `**` for any folders, `[a-z]` and
 * `[!a-z]` for one character, `{a,b}` for either text.
 */
export function pathMatcher(glob: string): (path: string) => boolean {
  const pattern = new RegExp(`^${patternOf(slashes(normalize(glob)))}$`, 'su');
  return (path) => pattern.test(slashes(join(path)));
}

const TOKENS = /\*\*\/|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\{[^{}]*\}|[\s\S]/gu;

function patternOf(glob: string): string {
  return (glob.match(TOKENS) ?? []).map(tokenPattern).join('');
}

function tokenPattern(token: string): string {
  if (token === '**/') return '(?:[^/]+/)*';
  if (token === '**') return '.*';
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.length > 1 && token.startsWith('[')) {
    const inner = token.slice(1, -1).replace(/^[!^]/, '');
    const negated = inner.length < token.length - 2 ? '^' : '';
    return `(?!/)[${negated}${inner.replace(/[\\\][&~|^]/g, '\\$&')}]`;
  }
  if (token.length > 1 && token.startsWith('{')) {
    return `(?:${token.slice(1, -1).split(',').map(patternOf).join('|')})`;
  }
  return token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace('\\-', '-');
}

function slashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
