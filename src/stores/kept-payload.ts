/**
 * A payload with members of our own beside those of the caller, whose names are reserved.
 */

/** Adds members to a JSON object without reading it. */
export function withMembers(json: string, members: Readonly<Record<string, unknown>>): string {
  const more = JSON.stringify(members).slice(1, -1);
  if (more === "") return json;
  return json === "{}" ? `{${more}}` : `${json.slice(0, -1)},${more}}`;
}
