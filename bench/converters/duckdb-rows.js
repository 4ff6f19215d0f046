const TYPES = { text: 'VARCHAR', time: 'BIGINT', number: 'DOUBLE', boolean: 'BOOLEAN' };

/** A query of a day file's rows. @param asNumbers whether times stay integers, in microseconds. */
export function rowsOf(source, columns, asNumbers = false) {
  const types = columns.map(({ name, kind }) => `${quoted(name, "'")}: '${TYPES[kind]}'`).join(', ');
  const selected = columns.map(({ name, kind }) => {
    const column = quoted(name, '"');
    return kind === 'time' && !asNumbers ? `make_timestamp(${column}) AS ${column}` : column;
  });
  return `SELECT ${selected} FROM read_csv(${quoted(source, "'")}, header = true, columns = {${types}})`;
}

export function quoted(text, quote) {
  return `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
}
