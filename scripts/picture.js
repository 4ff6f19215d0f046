// Draws the terminal output of a command, with colours, as an SVG. It creates the pictures of the README:
//   FORCE_COLOR=1 tickhaul coverage … | node scripts/picture.js 'tickhaul coverage …' > docs/coverage.svg
import { readFileSync } from 'node:fs';

const [COLUMN, LINE, SIZE, MARGIN, BAR] = [7.8, 18, 13, 20, 30];
const BACKGROUND = '#0d1117';
const PLAIN = '#c9d1d9';
/** By the numbers of "select graphic rendition" (ECMA-48, section 8.3.117). */
const COLOURS = { 31: '#ff7b72', 32: '#3fb950', 33: '#d29922', 36: '#39c5cf', 91: '#ff7b72' };

const command = process.argv[2];
const printed = readFileSync(0, 'utf8').trimEnd();
const lines = `${command === undefined ? '' : `\x1b[1m$ ${command}\x1b[22m\n\n`}${printed}`
  .split('\n')
  .map(runsOf);

/** A line as runs of equal style: their start, text and style. */
function runsOf(line) {
  const runs = [];
  let look = {};
  let at = 0;
  const add = (text) => {
    // Blanks are not drawn, and text after several blanks keeps its column in any font.
    for (const { 0: words, index } of text.matchAll(/\S+(?: \S+)*/g)) {
      runs.push({ at: at + index, text: words, look });
    }
    at += text.length;
  };
  const [first, ...rest] = line.split('\x1b[');
  add(first);
  for (const part of rest) {
    const end = part.indexOf('m');
    for (const code of part.slice(0, end).split(';')) look = changed(look, Number(code));
    add(part.slice(end + 1));
  }
  return { runs, length: at };
}

function changed(look, code) {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  return { ...look, colour: COLOURS[code] };
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const places = (number) => Number(number.toFixed(1));

function drawn({ at, text, look }, line) {
  const x = places(MARGIN + at * COLUMN);
  const y = BAR + MARGIN + line * LINE;
  const colour = look.colour ?? PLAIN;
  if (/^(?:■+|×+|○+)$/.test(text)) return marks(text, x, y, colour);
  const width = places(text.length * COLUMN);
  const style = `${look.bold ? ' font-weight="bold"' : ''}${look.dim ? ' opacity="0.6"' : ''}`;
  return `<text x="${x}" y="${y}" textLength="${width}" lengthAdjust="spacingAndGlyphs" fill="${colour}"${style}>${escaped(text)}</text>`;
}

/** A calendar mark as a path in its cell, given its left edge and base line: few fonts have all marks in one width. */
const MARKS = {
  '■': (x, y) => `M${places(x + 0.6)} ${y - 9}h6.6v10h-6.6z`,
  '○': (x, y) => `M${places(x + 1.3)} ${y - 4}a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0`,
  '×': (x, y) => `M${places(x + 1.2)} ${y - 7}l5.4 6m0-6l-5.4 6`,
};

function marks(text, x, y, colour) {
  const path = [...text].map((mark, i) => MARKS[mark](x + i * COLUMN, y)).join('');
  const ink = text.startsWith('■') ? `fill="${colour}"` : `fill="none" stroke="${colour}" stroke-width="1.4"`;
  return `<path d="${path}" ${ink}/>`;
}

const width = Math.ceil(2 * MARGIN + Math.max(...lines.map(({ length }) => length)) * COLUMN);
const height = BAR + MARGIN + lines.length * LINE;
const lights = ['#ff5f57', '#febc2e', '#28c840'].map(
  (fill, i) => `<circle cx="${20 + i * 18}" cy="20" r="6" fill="${fill}"/>`,
);
process.stdout.write(
  [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="${SIZE}" xml:space="preserve">`,
    `<title>${escaped(command ?? 'a terminal')}</title>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>`,
    ...lights,
    ...lines.flatMap(({ runs }, line) => runs.map((run) => drawn(run, line))),
    '</svg>\n',
  ].join('\n'),
);
