/**
 * Which rows stay: one bit a row, all set at first.
 */

/** A set of rows that starts full. */
export class RowSelection {
  readonly #dropped: Uint8Array;

  /** @param rows number of rows. */
  constructor(rows: number) {
    this.#dropped = new Uint8Array(Math.ceil(rows / 8));
  }

  /** Takes a row out. */
  drop(position: number): void {
    const at = Math.floor(position / 8);
    this.#dropped[at] = (this.#dropped[at] ?? 0) | (1 << (position % 8));
  }

  /** Whether a row is still in. */
  has(position: number): boolean {
    return ((this.#dropped[Math.floor(position / 8)] ?? 0) & (1 << (position % 8))) === 0;
  }
}
