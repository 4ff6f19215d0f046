import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';

/** Slices in the cache layout of the vendor's clients (`docs/spec/raw-feeds-api.md#slice-cache`), in a folder `feeds`. */
export interface SliceFolder {
  /** Exchanges with slices. */
  readonly exchanges: readonly string[];
  /** The text of a minute; undefined if no slice with these filters has it. @param filters text of the request. */
  minute(exchange: string, filters: string, minute: number): Promise<string | undefined>;
}

const SLICE_FILE_NAME = /^(\d{2})(?:\.size-(\d+))?\.json\.(gz|zst)$/;

/** @returns undefined if the folder has no `feeds`. */
export async function openSliceFolder(folder: string): Promise<SliceFolder | undefined> {
  const feeds = join(folder, 'feeds');
  const exchanges = await readdir(feeds).catch(() => undefined);
  if (!exchanges) return undefined;
  return {
    exchanges,
    async minute(exchange, filters, minute) {
      const key = createHash('sha256').update(filters).digest('hex');
      // A slice of several minutes may start in the previous hour.
      for (const hour of [minute - (minute % 60), minute - (minute % 60) - 60]) {
        const [year = '', month = '', day = '', hh = ''] = new Date(hour * 60_000)
          .toISOString()
          .split(/[-T:]/);
        const path = join(feeds, exchange, key, year, month, day, hh);
        for (const name of await readdir(path).catch(() => [])) {
          const [, startMinute = '', size = '1', extension = ''] = SLICE_FILE_NAME.exec(name) ?? [];
          const start = hour + Number(startMinute);
          if (startMinute === '' || minute < start || minute >= start + Number(size)) continue;
          const bytes = await readFile(join(path, name));
          const text = extension === 'gz' ? gunzipSync(bytes) : Buffer.from(decompress(bytes));
          return selectMinute(text.toString(), minute);
        }
      }
      return undefined;
    },
  };
}

/** Disconnects belong to the minute of the line before them, or else of the first line. */
function selectMinute(text: string, minute: number): string {
  const minuteText = new Date(minute * 60_000).toISOString().slice(0, 16);
  let isWithin = false;
  const lines = text.split('\n').slice(0, -1);
  const first = lines.find((line) => line !== '');
  if (first?.startsWith(minuteText)) isWithin = true;
  return lines
    .filter((line) => {
      if (line !== '') isWithin = line.startsWith(minuteText);
      return isWithin;
    })
    .map((line) => `${line}\n`)
    .join('');
}
