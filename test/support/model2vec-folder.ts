/** The smallest folder that `loadEmbedder` takes for a model2vec model. */
import { TemporaryFolder } from "./temporary-folder.js";

/**
 * Three tokens, two components: nothing for what is unknown, `a` is (3, 0), `b` is (0, 4). The folder says whether rows are
 * set to length one.
 */
export function model2vecFolder(normalize: boolean): string {
  const folder = new TemporaryFolder();
  const header = JSON.stringify({ embeddings: { dtype: "F32", shape: [3, 2], data_offsets: [0, 24] } });
  const length = new Uint8Array(BigUint64Array.of(BigInt(header.length)).buffer);
  const rows = new Uint8Array(Float32Array.of(9, 9, 3, 0, 0, 4).buffer);
  folder.write("model.safetensors", Buffer.concat([length, Buffer.from(header), rows]));
  folder.write("config.json", JSON.stringify({ normalize }));
  folder.write(
    "tokenizer.json",
    JSON.stringify({
      normalizer: {
        type: "BertNormalizer",
        clean_text: true,
        handle_chinese_chars: true,
        strip_accents: null,
        lowercase: true,
      },
      pre_tokenizer: { type: "BertPreTokenizer" },
      model: {
        type: "WordPiece",
        unk_token: "[UNK]",
        continuing_subword_prefix: "##",
        max_input_chars_per_word: 100,
        vocab: { "[UNK]": 0, "a": 1, "b": 2 },
      },
    }),
  );
  return folder.path;
}
