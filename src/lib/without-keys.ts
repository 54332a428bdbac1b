import type { JsonValue } from "@bufbuild/protobuf";
import { isMapping } from "./is-mapping.ts";

/** Stands for a value that nobody may see. */
export const redacted = "[redacted]";

/** A field whose texts are secret, by its name: `private_key`, `accessToken`, `clientSecret`, `API_TOKEN`. */
const secretField =
  /private[_-]?key|ticket[_-]?keys|pass(?:word|phrase|wd)|(?:^|[_-])token$|[a-z]Token$|api[_-]?key|(?:generic|client|token)[_-]?secret|hmac/iu;
/** Names of files and Secrets are no secrets. */
const placeField = /^(?:filename|name|path|secret_?name|sds_?config)$/iu;
/** A header with a secret, unless it is a condition of a route. */
const secretHeader = /^(?:proxy-)?authorization$/iu;

const secretTexts: readonly RegExp[] = [
  /PRIVATE KEY/u,
  // A signed token of JOSE.
  /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/u,
  // The private part of a key in JOSE's form.
  /\\*"d\\*"\s*:\s*\\*"[\w-]{20,}/u,
  /\b(?:bearer|basic)\s+[\w.~+/-]{12,}/iu,
  // A password in a URL.
  /\b[a-z][a-z\d+.-]*:\/\/[^\s/:@"']+:[^\s/@"']+@/iu,
  // Tokens that say what they are.
  /\b(?:gh[opsu]|github_pat|glpat|xox[abps]|[sr]k_live|hvs)[_-][\w-]{16,}/u,
];

/** A text with fewer characters is too short to be a secret in another form. */
const leastEncoded = 24;
const base64Runs = new RegExp(`[\\w+/-]{${leastEncoded},}`, "gu");
const hexRuns = new RegExp(`[0-9a-f]{${2 * leastEncoded},}`, "giu");
/** Base64 in base64 in base64 is a riddle, and no habit. */
const deepest = 2;

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
  const named = namedIn(value);
  const next = entries.map(([key, field]) => {
    const isNamed = key === "value" && named !== undefined && isSecretText(named, field);
    return [key, cleaned(field, isNamed || isSecretText(key, field) || isSecretField(key, isSecret))] as const;
  });
  return next.some(([, field], index) => field !== entries[index]?.[1]) ? Object.fromEntries(next) : value;
}

/** The name that stands beside a value: of a variable, or of a header. */
function namedIn({ name, key }: Readonly<Record<string, unknown>>): string | undefined {
  return [name, key].find((text) => typeof text === "string");
}

/** Whether a text is secret by its name. The name of a list or an object says less. */
function isSecretText(name: string, value: JsonValue): boolean {
  return typeof value === "string" && (secretHeader.test(name) || (secretField.test(name) && !placeField.test(name)));
}

function isSecretField(key: string, isInside: boolean): boolean {
  return !placeField.test(key) && (isInside || secretField.test(key));
}

function hiddenUnlessEmpty(text: string): string {
  return text === "" ? text : redacted;
}

function shown(text: string): string {
  return hasSecret(text, 0) ? redacted : text;
}

function hasSecret(text: string, depth: number): boolean {
  if (secretTexts.some((pattern) => pattern.test(text))) return true;
  return depth < deepest && text.length >= leastEncoded && decoded(text).some((inner) => hasSecret(inner, depth + 1));
}

/** The texts that may stand in a text in base64, or in hexadecimal digits. */
function* decoded(text: string): Generator<string> {
  for (const [run] of text.replaceAll(/(?<=\S{16})[ \t]*\r?\n[ \t]*(?=\S{4})/gu, "").matchAll(base64Runs)) {
    // The run may begin with other characters.
    for (let skip = 0; skip < 4; skip++) yield Buffer.from(run.slice(skip), "base64").toString("latin1");
  }
  for (const [run] of text.matchAll(hexRuns)) {
    for (let skip = 0; skip < 2; skip++) yield Buffer.from(run.slice(skip), "hex").toString("latin1");
  }
}
