/** One name of the list: its type, then a value, which is quoted like JSON when it is ambiguous. */
const entry = /^(?<type>[A-Za-z ]+):(?<value>"(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/;

/** One alternative name of a certificate: `URI`, `DNS`, `IP Address` and others. */
export interface AlternativeName {
  readonly type: string;
  readonly value: string;
}

/**
 * A certificate's alternative names, in Node's format. A malformed list has no names: a name with a comma must not
 * count as two.
 */
export function alternativeNamesIn(subjectAltName: string): readonly AlternativeName[] {
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

/** The URIs among the alternative names. */
export function urisIn(subjectAltName: string): readonly string[] {
  return alternativeNamesIn(subjectAltName).flatMap(({ type, value }) => (type === "URI" ? value : []));
}
