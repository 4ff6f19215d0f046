/** Parts of regular expressions for JSON text: a character of a string without escapes, and a count. */
export const CELL = '[^"\\\\\\u0000-\\u001f]';
export const COUNT = '(?:0|[1-9]\\d{0,14})';

/** Milliseconds from 2001 to 2033, and the same or microseconds since 2020. */
export const MS = '1\\d{12}';
export const MS_OR_US = `${MS}|1[6-9]\\d{14}`;
