import { isTooDeepText } from "./json-depth.ts";

/**
 * Parses JSON; undefined if the text is invalid or nested too deeply to walk through. The input is untrusted, so
 * callers check the shape of the result.
 */
export function parseJson(text: string): unknown {
  if (isTooDeepText(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
