/** Levels of lists and objects in JSON from outside. Far beyond any object of ours; readers use the stack. */
export const maxJsonDepth = 200;

/** Whether JSON text is nested too deeply. Stops at the first bracket that is, so refusing costs next to nothing. */
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

/** The same for a value that was read already. */
export function isTooDeepValue(value: unknown, levels = maxJsonDepth): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isTooDeepValue(part, levels - 1));
}
