/**
 * Lower case as `icontains` has it, for stores that keep a field in lower case beside the field.
 */

/**
 * A text in lower case, character by character. `toLowerCase` of a whole text looks at neighbours (the Greek sigma at the
 * end of a word), so that a part of a text would not always be a part of its lower case.
 */
export function foldCase(text: string): string {
  return Array.from(text, (character) => character.toLowerCase()).join("");
}
