/**
 * Packs texts into one buffer with offsets: the cheapest way for strings to cross into Rust.
 *
 * A lone surrogate is written in WTF-8, three bytes of its own, so that texts that differ stay different.
 */
import { Buffer, constants } from "node:buffer";
import { SluiceError } from "../errors.js";

/** A run of packed records, ready for the native core. */
export interface PackedTexts {
  /** The bytes of all texts, one after another. */
  readonly data: Uint8Array;
  /** `texts + 1` positions in `data`. */
  readonly offsets: Uint32Array;
}

/** Bytes that a chunk aims at: small enough for the cache, large enough to make the crossing free. */
const CHUNK_BYTES = 1 << 20;
/** Most texts of a chunk. */
export const CHUNK_TEXTS = 1 << 14;

/** Collects texts into chunks; memory is reused from chunk to chunk. */
export class TextPacker {
  #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  readonly #bytesMax: number;
  readonly #offsets = new Uint32Array(CHUNK_TEXTS + 1);
  #used = 0;
  #texts = 0;

  /** @param bytesMax most bytes of a chunk: positions in it are 32 bits wide. */
  constructor(bytesMax = 0xffff_ffff) {
    this.#bytesMax = bytesMax;
  }

  /** Number of texts in the present chunk. */
  get texts(): number {
    return this.#texts;
  }

  /** Whether the chunk should be taken before another record of `texts` texts is added. */
  isFull(texts: number): boolean {
    return this.#used >= CHUNK_BYTES / 2 || this.#texts + texts > CHUNK_TEXTS;
  }

  /** Adds one text. */
  add(text: string): void {
    // Three bytes a UTF-16 unit is the most that UTF-8 takes.
    const most = text.length * 3;
    if (this.#used + most > this.#buffer.length) this.#grow(this.#used + Buffer.byteLength(text));
    this.#used += text.isWellFormed()
      ? this.#buffer.write(text, this.#used, "utf8")
      : writeWtf8(text, this.#buffer, this.#used);
    this.#texts += 1;
    this.#offsets[this.#texts] = this.#used;
  }

  /** The chunk so far, valid until the next `add`; the packer starts a new one. */
  take(): PackedTexts {
    const packed = {
      data: this.#buffer.subarray(0, this.#used),
      offsets: this.#offsets.subarray(0, this.#texts + 1),
    };
    this.#used = 0;
    this.#texts = 0;
    return packed;
  }

  /** Makes room for so many bytes in all, and for some more: growing copies. */
  #grow(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    if (bytes > this.#bytesMax) throw tooLarge(bytes, this.#bytesMax);
    let larger: Buffer<ArrayBuffer>;
    try {
      larger = Buffer.allocUnsafeSlow(Math.min(this.#bytesMax, Math.max(bytes, 2 * this.#buffer.length)));
    } catch (cause) {
      throw tooLarge(bytes, constants.MAX_LENGTH, cause);
    }
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }
}

/** Packs texts chunk by chunk; each is valid until the next is asked for. */
export function* packTexts(texts: Iterable<string>): Generator<PackedTexts, void> {
  const packer = new TextPacker();
  for (const text of texts) {
    if (packer.isFull(1)) yield packer.take();
    packer.add(text);
  }
  if (packer.texts > 0) yield packer.take();
}

/** Texts of a packed run, as strings. */
export function unpackTexts({ data, offsets }: PackedTexts): string[] {
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return Array.from({ length: offsets.length - 1 }, (_, index) =>
    buffer.toString("utf8", offsets[index], offsets[index + 1]),
  );
}

function tooLarge(bytes: number, most: number, cause?: unknown): SluiceError {
  return new SluiceError(
    "INPUT_TOO_LARGE",
    "A record is too large: its columns do not fit into one buffer.",
    { expected: `at most ${most} bytes`, received: `${bytes} bytes` },
    { cause },
  );
}

function writeWtf8(text: string, buffer: Buffer, start: number): number {
  let at = start;
  for (const character of text) {
    const unit = character.charCodeAt(0);
    if (character.length === 1 && unit >= 0xd800 && unit <= 0xdfff) {
      buffer[at] = 0xe0 | (unit >> 12);
      buffer[at + 1] = 0x80 | ((unit >> 6) & 0x3f);
      buffer[at + 2] = 0x80 | (unit & 0x3f);
      at += 3;
    } else at += buffer.write(character, at, "utf8");
  }
  return at - start;
}
