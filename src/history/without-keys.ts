import type { JsonValue } from "@bufbuild/protobuf";
import { isMapping } from "../lib/is-mapping.ts";

/** Stands for a value that nobody may see. */
export const redacted = "[redacted]";

/** A field whose texts are secret, by its name: `private_key`, `accessToken`, `clientSecret`. */
const secretField =
  /private[_-]?key|pass(?:word|phrase)|access[_-]?token|auth[_-]?token|api[_-]?key|client[_-]?secret|token[_-]secret|hmac/iu;
/** Names of files and Secrets are no secrets. */
const placeField = /^(?:filename|name|path|secret_?name|sds_?config)$/iu;

const marker = "PRIVATE KEY";

/** The marker inside of base64, at each alignment: without the characters that also depend on its neighbours. */
const inBase64 = [0, 1, 2].map((skip) =>
  Buffer.from(`${" ".repeat(skip)}${marker}`)
    .toString("base64")
    .slice(skip === 0 ? 0 : 4, skip === 0 ? 12 : 15),
);

const secretTexts: readonly RegExp[] = [
  new RegExp([marker, ...inBase64.map((text) => text.replaceAll("+", "\\+"))].join("|"), "u"),
  new RegExp(Buffer.from(marker).toString("hex"), "iu"),
  // A signed token of JOSE.
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/u,
  // The private part of a key in JOSE's form.
  /\\*"d\\*"\s*:\s*\\*"[\w-]{20,}/u,
  /\b(?:bearer|basic)\s+[\w.~+/-]{12,}/iu,
];

/**
 * The same value without private keys, tokens and passwords. A text that holds one is replaced as a whole, and so is a
 * text in a field that is named after one. A value without such a text is returned itself.
 */
export function withoutKeys<T extends JsonValue>(value: T): T;
export function withoutKeys(value: JsonValue): JsonValue {
  return cleaned(value, false);
}

function cleaned(value: JsonValue, isSecret: boolean): JsonValue {
  if (typeof value === "string") return isSecret ? hiddenUnlessEmpty(value) : shown(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => cleaned(item, isSecret));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const next = entries.map(([key, field]) => [key, cleaned(field, isSecretField(key, isSecret))] as const);
  return next.some(([, field], index) => field !== entries[index]?.[1]) ? Object.fromEntries(next) : value;
}

function isSecretField(key: string, isInside: boolean): boolean {
  return !placeField.test(key) && (isInside || secretField.test(key));
}

function hiddenUnlessEmpty(text: string): string {
  return text === "" ? text : redacted;
}

function shown(text: string): string {
  return secretTexts.some((pattern) => pattern.test(text)) ? redacted : text;
}
