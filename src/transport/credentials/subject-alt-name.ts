/** One name of the list: its type, then a value that is quoted like JSON as soon as it could be misread. */
const entry = /^(?<type>[A-Za-z ]+):(?<value>"(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/;

/**
 * The URIs among a certificate's alternative names, as Node prints them. Nothing is taken from a list that cannot be
 * read to its end: a name with a comma in it must not pass for two.
 */
export function urisIn(subjectAltName: string): readonly string[] {
  const uris: string[] = [];
  let rest = subjectAltName;
  while (rest !== "") {
    const match = entry.exec(rest);
    const { type, value } = match?.groups ?? {};
    if (match === null || type === undefined || value === undefined) return [];
    if (type === "URI") uris.push(value.startsWith('"') ? String(JSON.parse(value)) : value);
    rest = rest.slice(match[0].length);
  }
  return uris;
}
