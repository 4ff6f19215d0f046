import { engineOf, fromDist } from './engine.js';

const LF = 10;
const NOTHING = Buffer.alloc(0);

/**
 * The cost of a file for the reading thread and the kernels, in seconds: the minimum of some rounds, stage by stage,
 * with one stage active at a time. The time of compression is the additional time to finish batches.
 */
export async function stagesOf(job, rounds) {
  const found = { read: [], cut: [], take: [], finish: [], packed: [] };
  for (let round = 0; round < rounds; round++) {
    found.read.push(await readOnly(job.path));
    const plain = await inOneThread({ ...job, compression: 'none' });
    for (const [stage, spent] of Object.entries(plain)) found[stage].push(spent);
    if (job.compression !== 'none') found.packed.push((await inOneThread(job)).finish);
  }
  const [read, cut, take, finish] = ['read', 'cut', 'take', 'finish'].map((stage) =>
    Math.min(...found[stage]),
  );
  const packed = job.compression === 'none' ? finish : Math.min(...found.packed);
  return { read, cut, parse: take, encode: finish, compress: Math.max(0, packed - finish) };
}

/** Reading, MD5 and gunzip without a consumer of the text: the maximum speed of the reading thread. */
async function readOnly(path) {
  const began = performance.now();
  await read(path, async () => {});
  return (performance.now() - began) / 1000;
}

async function inOneThread(job) {
  const { take, finish, batchRows } = await engineOf(job);
  const spent = { cut: 0, take: 0, finish: 0 };
  const timed = (stage, work) => {
    const began = performance.now();
    const result = work();
    spent[stage] += (performance.now() - began) / 1000;
    return result;
  };
  let rest = NOTHING;
  let left = batchRows;
  let isHeader = true;
  await read(job.path, async (chunk) => {
    const text = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = isHeader ? text.indexOf(LF) + 1 : 0;
    isHeader = false;
    for (;;) {
      const { rows, end } = timed('cut', () => wholeRows(text, from, left));
      if (rows === 0) break;
      timed('take', () => take(text.subarray(from, end)));
      left -= rows;
      from = end;
      if (left > 0) continue;
      timed('finish', finish);
      left = batchRows;
    }
    rest = Buffer.from(text.subarray(from));
  });
  timed('finish', finish);
  return spent;
}

async function read(path, onText) {
  const { readSource } = await fromDist('gzip/read-source.js');
  await readSource(path, { onText });
}

/** Number of whole rows, at most `most`, and the offset of their end. */
function wholeRows(text, from, most) {
  let end = from;
  let rows = 0;
  while (rows < most) {
    const at = text.indexOf(LF, end);
    if (at === -1) break;
    end = at + 1;
    rows++;
  }
  return { rows, end };
}
