import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';

/** Slices in the layout of the vendor's clients (replay facts, section 1), below a folder `feeds`. */
export interface SliceFolder {
  /** Exchanges that have slices. */
  readonly exchanges: readonly string[];
  /** The text of a minute; undefined where no slice of these filters has it. @param filters as they were sent. */
  minute(exchange: string, filters: string, minute: number): Promise<string | undefined>;
}

const SLICE_FILE_NAME = /^(\d{2})(?:\.size-(\d+))?\.json\.(gz|zst)$/;

/** @returns undefined where the folder holds no `feeds`. */
export async function openSliceFolder(folder: string): Promise<SliceFolder | undefined> {
  const feeds = join(folder, 'feeds');
  const exchanges = await readdir(feeds).catch(() => undefined);
  if (!exchanges) return undefined;
  return {
    exchanges,
    async minute(exchange, filters, minute) {
      const key = createHash('sha256').update(filters).digest('hex');
      // A slice may have begun in the hour before.
      for (const hour of [minute - (minute % 60), minute - (minute % 60) - 60]) {
        const [year = '', month = '', day = '', hh = ''] = new Date(hour * 60_000)
          .toISOString()
          .split(/[-T:]/);
        const path = join(feeds, exchange, key, year, month, day, hh);
        for (const name of await readdir(path).catch(() => [])) {
          const [, begin = '', size = '1', ending = ''] = SLICE_FILE_NAME.exec(name) ?? [];
          const start = hour + Number(begin);
          if (begin === '' || minute < start || minute >= start + Number(size)) continue;
          const bytes = await readFile(join(path, name));
          const text = ending === 'gz' ? gunzipSync(bytes) : Buffer.from(decompress(bytes));
          return selectMinute(text.toString(), minute);
        }
      }
      return undefined;
    },
  };
}

/** Breaks go with the line before them, or else with the first one. */
function selectMinute(text: string, minute: number): string {
  const wanted = new Date(minute * 60_000).toISOString().slice(0, 16);
  let isWithin = false;
  const lines = text.split('\n').slice(0, -1);
  const first = lines.find((line) => line !== '');
  if (first?.startsWith(wanted)) isWithin = true;
  return lines
    .filter((line) => {
      if (line !== '') isWithin = line.startsWith(wanted);
      return isWithin;
    })
    .map((line) => `${line}\n`)
    .join('');
}
