import { errorFrom } from "../../lib/errors.ts";

/** Far beyond any object of ours; what reads objects goes as deep as they are, on the stack. */
const maxDepth = 200;

export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Reads JSON from anybody: neither its depth nor its mistakes do harm. */
export function readJson(text: string): ReadJson {
  if (isDeeper(text, maxDepth)) return { ok: false, message: `it is nested more than ${maxDepth} levels deep` };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (thrown) {
    return { ok: false, message: errorFrom(thrown).message };
  }
}

/** Stops at the first bracket that is too deep, so what is refused costs next to nothing. */
function isDeeper(text: string, limit: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else quoted = character !== '"';
    } else if (character === '"') {
      quoted = true;
    } else if (character === "{" || character === "[") {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === "}" || character === "]") {
      depth -= 1;
    }
  }
  return false;
}
