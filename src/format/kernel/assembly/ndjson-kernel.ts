// CSV rows to NDJSON lines, straight from text to text.

/** Where the columns' records are, and how many. */
let records: usize = 0;
let count: i32 = 0;

export function setup(columns: usize, n: i32): void {
  records = columns;
  count = n;
}
