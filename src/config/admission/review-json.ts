import { errorFrom } from "../../lib/errors.ts";
import { isTooDeepText, maxJsonDepth } from "../../lib/json-depth.ts";

export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Parses untrusted JSON. Neither deep nesting nor syntax errors do harm. */
export function readJson(text: string): ReadJson {
  if (isTooDeepText(text)) return { ok: false, message: `it is nested more than ${maxJsonDepth} levels deep` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, message: errorFrom(thrown).message };
  }
}
