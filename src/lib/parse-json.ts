import { isTooDeepText } from "./json-depth.ts";

/**
 * What a text says in JSON; undefined where it is none, or nested too deeply to be walked through. Of what nobody
 * trusts: whoever gets it looks at its shape.
 */
export function parseJson(text: string): unknown {
  if (isTooDeepText(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
