/**
 * Largest nesting depth of lists and objects in external JSON. It is far beyond any real object; readers are recursive.
 */
export const maxJsonDepth = 200;

/** Whether JSON text is nested too deeply. Stops at the first bracket beyond the limit, so a refusal is cheap. */
export function isTooDeepText(text: string): boolean {
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
      if (depth > maxJsonDepth) return true;
    } else if (character === "}" || character === "]") {
      depth -= 1;
    }
  }
  return false;
}

/** Whether a parsed value is nested too deeply. */
export function isTooDeepValue(value: unknown, levels = maxJsonDepth): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeepValue(part, levels - 1));
}
