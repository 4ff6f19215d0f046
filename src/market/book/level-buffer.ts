/** The levels of one side of a change, in their order. */
export class LevelBuffer {
  prices = new Float64Array(16);
  amounts = new Float64Array(16);
  count = 0;

  push(price: number, amount: number): void {
    if (this.count === this.prices.length) {
      this.prices = growArray(this.prices);
      this.amounts = growArray(this.amounts);
    }
    this.prices[this.count] = price;
    this.amounts[this.count++] = amount;
  }
}

function growArray(array: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(2 * array.length);
  larger.set(array);
  return larger;
}
