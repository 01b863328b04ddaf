/**
 * What is let go of when nobody uses it any more.
 *
 * A rebuild puts another state in the place of the one that searches still look at: it retires the old one, and the last
 * search that ends lets go of it.
 */
export class Leased<T> {
  readonly value: T;
  readonly #letGo: (value: T) => Promise<void>;
  #uses = 0;
  /** Tells that the last use has ended, where somebody waits for it. */
  #unused: (() => void) | undefined;
  #gone: Promise<void> | undefined;

  constructor(value: T, letGo: (value: T) => Promise<void>) {
    this.value = value;
    this.#letGo = letGo;
  }

  /** Keeps the value until the work has ended. Nobody may begin a use once it was retired. */
  async use<R>(work: (value: T) => Promise<R>): Promise<R> {
    this.#uses++;
    try {
      return await work(this.value);
    } finally {
      this.#uses--;
      if (this.#uses === 0) this.#unused?.();
    }
  }

  /** Lets go of the value as soon as nobody uses it, once; ends when that is done. */
  retire(): Promise<void> {
    this.#gone ??= this.#whenUnused().then(() => this.#letGo(this.value));
    return this.#gone;
  }

  #whenUnused(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#uses === 0) resolve();
      else this.#unused = resolve;
    });
  }
}
