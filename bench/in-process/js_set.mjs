/** A JavaScript `Set` of strings over an array of texts. */

/** @param {readonly string[]} texts */
export async function keep(texts) {
  const seen = new Set();
  const positions = [];
  for (let position = 0; position < texts.length; position += 1) {
    if (seen.has(texts[position])) continue;
    seen.add(texts[position]);
    positions.push(position);
  }
  return positions;
}
