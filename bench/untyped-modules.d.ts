/** Just enough about the two packages here that ship no types. */

declare module "minhash" {
  export class Minhash {
    constructor(options?: { numPerm?: number });
    update(item: string): void;
    jaccard(other: Minhash): number;
  }
  export class LshIndex {
    constructor(options?: { bandSize?: number });
    readonly index: Record<string, string[]>;
    getHashbands(sketch: Minhash): string[];
    insert(key: string, sketch: Minhash): void;
  }
}

declare module "benchmark" {
  interface Deferred {
    resolve(): void;
  }
  interface Options {
    defer: true;
    fn(deferred: Deferred): void;
    maxTime: number;
    minSamples: number;
    onComplete(): void;
    onError(event: { target: { error: unknown } }): void;
  }
  export default class Benchmark {
    constructor(name: string, options: Options);
    run(options: { async: boolean }): void;
  }
}
