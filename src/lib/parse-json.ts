/** What a text says in JSON; undefined where it is none. Of what nobody trusts: whoever gets it looks at its shape. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
