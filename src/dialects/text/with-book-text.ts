import type { Normalizer } from '../normalizer.js';
import { type BookText, createBookTextReader } from './book-text-form.js';
import { BOOK_TEXT_FORMS } from './book-text-forms.js';

/**
 * Lets a normalizer of book changes read messages in the exchange's usual form without parsing them; undefined
 * forms and messages are parsed as before. Where updates are numbered, the normalizer first aligns them with a
 * snapshot: an update is read from text after the normalizer emitted an earlier one of the same book.
 */
export function withBookText(exchange: string, normalizer: Normalizer): Normalizer {
  const forms = BOOK_TEXT_FORMS[exchange] ?? {};
  const channel = normalizer.filters(undefined).find(({ channel }) => channel in forms)?.channel;
  const form = channel === undefined ? undefined : forms[channel];
  if (form === undefined) return normalizer;
  const readBookText = createBookTextReader(form);
  /** The first aligned update of each source, and its symbol. */
  const aligned = new Map<string, { readonly symbol: string; readonly update: number }>();
  /** A message that the normalizer reads next. */
  let next: BookText | undefined;
  return {
    ...normalizer,
    readText(text, localTimestamp, emit) {
      const book = readBookText(text, localTimestamp);
      if (book === undefined) return false;
      const { record, source, update } = book;
      if (source !== undefined && update !== undefined) {
        const first = aligned.get(source);
        if (first === undefined || first.symbol !== record.symbol || update < first.update) {
          next = book;
          return false;
        }
      }
      emit(record);
      return true;
    },
    read(message, localTimestamp, emit) {
      const read = next;
      next = undefined;
      normalizer.read(message, localTimestamp, (record) => {
        const { source, update } = read ?? {};
        if (
          source !== undefined &&
          update !== undefined &&
          record.type === 'book_change' &&
          !record.isSnapshot
        )
          aligned.set(Buffer.from(source).toString(), { symbol: record.symbol, update });
        emit(record);
      });
    },
  };
}
