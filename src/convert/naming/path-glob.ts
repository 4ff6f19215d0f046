import { join, normalize, sep } from 'node:path';

const GLOB_CHARACTERS = /[*?[{]/;

/** Whether a path contains glob characters. */
export function isPathGlob(path: string): boolean {
  return GLOB_CHARACTERS.test(path);
}

/** The folder that contains all possible matches of a glob. */
export function globBaseFolder(glob: string): string {
  const parts = toForwardSlashes(glob).split('/');
  const plain = parts.slice(0, parts.findIndex(isPathGlob));
  return plain.length === 0 ? '.' : plain.join('/') || '/';
}

/**
 * Matches paths below `globBaseFolder`: `*` and `?` match within a name, `**` across folders, `[a-z]` and
 * `[!a-z]` one character, `{a,b}` either text.
 */
export function createPathMatcher(glob: string): (path: string) => boolean {
  const pattern = new RegExp(`^${globToPattern(toForwardSlashes(normalize(glob)))}$`, 'su');
  return (path) => pattern.test(toForwardSlashes(join(path)));
}

const GLOB_TOKENS = /\*\*\/|\*\*|\*|\?|\[[!^]?\]?[^\]]*\]|\{[^{}]*\}|[\s\S]/gu;

function globToPattern(glob: string): string {
  return (glob.match(GLOB_TOKENS) ?? []).map(tokenToPattern).join('');
}

function tokenToPattern(token: string): string {
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
    return `(?:${token.slice(1, -1).split(',').map(globToPattern).join('|')})`;
  }
  return token.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replace('\\-', '-');
}

function toForwardSlashes(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}
