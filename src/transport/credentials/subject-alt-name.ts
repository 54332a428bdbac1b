/** One name of the list: its type, then a value that is quoted like JSON as soon as it could be misread. */
const entry = /^(?<type>[A-Za-z ]+):(?<value>"(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/;

/** One alternative name of a certificate: `URI`, `DNS`, `IP Address` and others. */
export interface AlternativeName {
  readonly type: string;
  readonly value: string;
}

/**
 * A certificate's alternative names, as Node prints them. Nothing is taken from a list that cannot be read to its end: a
 * name with a comma in it must not pass for two.
 */
export function namesIn(subjectAltName: string): readonly AlternativeName[] {
  const names: AlternativeName[] = [];
  let rest = subjectAltName;
  while (rest !== "") {
    const match = entry.exec(rest);
    const { type, value } = match?.groups ?? {};
    if (match === null || type === undefined || value === undefined) return [];
    names.push({ type, value: value.startsWith('"') ? String(JSON.parse(value)) : value });
    rest = rest.slice(match[0].length);
  }
  return names;
}

/** The URIs among them. */
export function urisIn(subjectAltName: string): readonly string[] {
  return namesIn(subjectAltName).flatMap(({ type, value }) => (type === "URI" ? value : []));
}
