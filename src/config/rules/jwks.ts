import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { error, errorUnless, type Finding, type Remark, warning } from "../finding.ts";

/** The URI of an issuer's keys. May be absent: then the keys are discovered. */
export function keySetUri(uri: string, path: string): readonly Finding[] {
  const isHttp = URL.canParse(uri) && ["http:", "https:"].includes(new URL(uri).protocol);
  return errorUnless(uri === "" || isHttp, path, {
    code: "bad-url",
    message: `"${uri}" is not a URL that keys can be fetched from`,
    hint: "write http://… or https://…",
  });
}

/** The inline keys of an issuer. May be absent. */
export function keySet(text: string, path: string): readonly Finding[] {
  if (text === "") return [];
  const keys = keysIn(text);
  if (keys === undefined) {
    const hint = 'write {"keys": […]}';
    return [error(path, { code: "bad-jwks", message: "the text is not a set of keys in JSON", hint })];
  }
  return keys.some(isPrivate) ? [warning(path, exposed)] : [];
}

const exposed: Remark = {
  code: "private-key",
  message: "these keys have private parts, and every proxy would get them; keep only the public parts",
};

/** A single key is allowed, too. */
function keysIn(text: string): readonly unknown[] | undefined {
  const raw = parseJson(text);
  if (!isMapping(raw)) return undefined;
  if (Array.isArray(raw["keys"])) return raw["keys"];
  return typeof raw["kty"] === "string" ? [raw] : undefined;
}

/** `d` is the private part of a key pair. A symmetric key is always private. */
function isPrivate(key: unknown): boolean {
  return isMapping(key) && (key["d"] !== undefined || key["kty"] === "oct");
}
