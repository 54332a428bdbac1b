import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";

/** A text that has to be there. `what` is what it says, as in "an issuer". */
export function someText(text: string, path: string, what: string): readonly Finding[] {
  return errorUnless(text !== "", path, { code: "missing-value", message: `${what} is missing` });
}

/** A list without holes: an empty text matches nothing, or everything, and was hardly meant. */
export function noEmptyTexts(texts: readonly string[], path: string): readonly Finding[] {
  return texts.flatMap((text, index) =>
    errorUnless(text !== "", fieldPath(path, index), { code: "empty-value", message: "an entry must not be empty" }),
  );
}

/** A text of a choice, where nobody made an enum of it. */
export function oneOf(text: string, known: readonly string[], path: string): readonly Finding[] {
  return errorUnless(known.includes(text), path, {
    code: "unknown-value",
    message: `expected one of ${known.join(", ")}, found "${text}"`,
  });
}
