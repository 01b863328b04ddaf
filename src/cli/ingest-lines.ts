/**
 * The lines of an input, with the place behind each, so that reading can go on there.
 *
 * gzip is undone on the way; zstd by the core, which reads such a file twice.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { SluiceError } from "../errors.js";
import { callNative, defaultThreads, runJob } from "../native.js";
import { ioError } from "./atomic-output.js";

/** A place between two lines: so many lines and bytes, unpacked, lie before it. */
export interface LinePlace {
  readonly lines: number;
  readonly bytes: number;
}

/** A line and the place behind it. */
export interface InputLine {
  readonly text: string;
  readonly end: LinePlace;
}

/** Most bytes of a line. */
const LINE_BYTES_MAX = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** The first bytes of a file: they tell how it is packed, and are part of what it is known by. */
export async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The lines behind a place. `name` is what the user calls the file. `INPUT_COMPRESSED`, `INPUT_ENCODING`, `INPUT_TOO_LARGE`. */
export async function* readLines(
  path: string,
  name: string,
  from: LinePlace,
  signal: AbortSignal,
): AsyncGenerator<InputLine> {
  let { lines, bytes } = from;
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const lineOf = (parts: Uint8Array): InputLine => {
    lines += 1;
    try {
      return { text: decoder.decode(parts), end: { lines, bytes } };
    } catch (cause) {
      throw new SluiceError(
        "INPUT_ENCODING",
        "A line is not valid UTF-8.",
        { path: name, line: lines },
        { cause },
      );
    }
  };
  let rest: Uint8Array[] = [];
  let restBytes = 0;
  for await (const chunk of unpackedBytes(path, name, from.bytes, signal)) {
    let begin = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, begin)) {
      const piece = chunk.subarray(begin, end);
      bytes += restBytes + piece.length + 1;
      yield lineOf(rest.length === 0 ? piece : Buffer.concat([...rest, piece]));
      [rest, restBytes, begin] = [[], 0, end + 1];
    }
    if (begin === chunk.length) continue;
    rest.push(chunk.subarray(begin));
    restBytes += chunk.length - begin;
    if (restBytes > LINE_BYTES_MAX) {
      throw new SluiceError("INPUT_TOO_LARGE", "A line is too long.", {
        path: name,
        line: lines + 1,
        expected: `at most ${LINE_BYTES_MAX} bytes`,
      });
    }
  }
  if (restBytes > 0) {
    bytes += restBytes;
    yield lineOf(Buffer.concat(rest));
  }
}

async function* unpackedBytes(
  path: string,
  name: string,
  skip: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const [first, second, third, fourth] = await firstBytes(path, 4);
  if (first === 0x1f && second === 0x8b) {
    // The errors of both arrive at the end that is read.
    const unpacked = pipeline(createReadStream(path, { signal }), createGunzip(), () => undefined);
    yield* behind(skip, streamed(unpacked, name, signal));
  } else if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) {
    yield* behind(skip, unpackedByCore(path, signal));
  } else {
    yield* streamed(createReadStream(path, { start: skip, signal }), name, signal);
  }
}

async function* streamed(stream: Readable, name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    // A stream of bytes, which has no encoding set.
    for await (const chunk of stream as AsyncIterable<Uint8Array>) yield chunk;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof Error && "code" in cause && String(cause.code).startsWith("Z_")) {
      const message = "The compressed input is cut short or damaged.";
      throw new SluiceError("INPUT_COMPRESSED", message, { path: name }, { cause });
    }
    throw ioError(name, "Reading", cause);
  }
}

/** The first pass finds the lines, the second copies all of them. */
async function* unpackedByCore(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const source = { path, format: "txt", compression: "zstd", columns: ["text"] };
  const batch = callNative(
    (core) =>
      new core.NativeBatch({
        columns: 1,
        normalize: "none",
        empty: "keep",
        verifyBytes: false,
        keepTexts: false,
        keepLengths: false,
      }),
  );
  try {
    const { value: read } = await runJob((_, control) => batch.readFile(source, defaultThreads(), control), {
      signal,
    });
    const all = Uint32Array.from({ length: read.records }, (_, position) => position);
    const control = callNative((core) => new core.NativeControl());
    const copy = callNative((core) => new core.NativeSelectedCopy(source, all, read, control));
    for (;;) {
      const { value: chunk } = await runJob(() => copy.next(), { signal, control });
      if (chunk.length === 0) return;
      yield chunk;
    }
  } finally {
    batch.close();
  }
}

/** Bytes without the first `skip`. */
async function* behind(skip: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let left = skip;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}
