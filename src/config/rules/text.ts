import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";

/** A required text. `what` names it, as in "an issuer". */
export function someText(text: string, path: string, what: string): readonly Finding[] {
  return errorUnless(text !== "", path, { code: "missing-value", message: `${what} is missing` });
}

/** A text with a limit of Envoy in bytes. */
export function shortText(text: string, path: string, maxBytes: number): readonly Finding[] {
  return errorUnless(Buffer.byteLength(text) <= maxBytes, path, {
    code: "too-long",
    message: `at most ${maxBytes} bytes are allowed`,
  });
}

/** A list without empty texts: an empty text matches nothing, or everything, and is hardly intended. */
export function noEmptyTexts(texts: readonly string[], path: string): readonly Finding[] {
  return texts.flatMap((text, index) =>
    errorUnless(text !== "", fieldPath(path, index), { code: "empty-value", message: "an entry must not be empty" }),
  );
}

/** A text with a fixed set of values that is not an enum in the schema. */
export function allowedText(text: string, known: readonly string[], path: string): readonly Finding[] {
  return errorUnless(known.includes(text), path, {
    code: "unknown-value",
    message: `expected one of ${known.join(", ")}, found "${text}"`,
  });
}
