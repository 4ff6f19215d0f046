import type { Normalizer } from '../normalizer.js';
import { BOOK_TEXT_FORMS } from './book-text-forms.js';
import { createBookTextReader, type NumberedUpdate } from './book-text-reader.js';

/**
 * Lets a normalizer of book changes read messages in the exchange's usual form from text; all others are parsed
 * as before. Where updates are numbered, the normalizer first aligns them with a snapshot, so an update is
 * read from text only if the normalizer emitted an earlier one of the same book.
 */
export function withBookText(exchange: string, normalizer: Normalizer): Normalizer {
  const forms = BOOK_TEXT_FORMS[exchange] ?? {};
  const channel = normalizer.filters(undefined).find(({ channel }) => channel in forms)?.channel;
  const form = channel === undefined ? undefined : forms[channel];
  if (form === undefined) return normalizer;
  const readBookText = createBookTextReader(form);
  /** The first aligned update of each source, and its symbol. */
  const aligned = new Map<string, { readonly symbol: string; readonly number: number }>();
  /** An update in the usual form that the normalizer reads next. */
  let next: NumberedUpdate | undefined;
  return {
    ...normalizer,
    readText(text, localTimestamp, emit) {
      const book = readBookText(text, localTimestamp);
      if (book === undefined) return false;
      const { record, update } = book;
      const first = update && aligned.get(update.source);
      if (update && (first?.symbol !== record.symbol || update.number < first.number)) {
        next = update;
        return false;
      }
      emit(record);
      return true;
    },
    read(message, localTimestamp, emit) {
      const update = next;
      next = undefined;
      normalizer.read(message, localTimestamp, (record) => {
        // A part of a text keeps the memory of the whole text, so the source is copied.
        if (update && record.type === 'book_change' && !record.isSnapshot)
          aligned.set(Buffer.from(update.source).toString(), {
            symbol: record.symbol,
            number: update.number,
          });
        emit(record);
      });
    },
  };
}
