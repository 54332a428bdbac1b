import { isMapping } from "../../lib/is-mapping.ts";
import { ownValue } from "../../lib/own-value.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { error, errorUnless, type Finding, type Remark, warning } from "../finding.ts";
import { isStrictUrl } from "../grammar/url.ts";

/** The URI of an issuer's keys. May be absent: then the keys are discovered. */
export function keySetUri(uri: string, path: string): readonly Finding[] {
  const isHttp = isStrictUrl(uri) && ["http:", "https:"].includes(new URL(uri).protocol);
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
  const bad = keys.findIndex((key) => !isReadable(key));
  if (bad !== -1) {
    const message = `key ${bad} has no known type, or lacks a part of its type`;
    return [error(path, { code: "bad-jwks", message, hint: "remove the key, or copy it again" })];
  }
  return keys.some(isPrivate) ? [warning(path, exposed)] : [];
}

/** Per type of key: the parts that it needs. */
const parts: Readonly<Record<string, readonly string[]>> = {
  RSA: ["n", "e"],
  EC: ["crv", "x", "y"],
  OKP: ["crv", "x"],
  oct: ["k"],
};

const described = ["kid", "alg", "use"];

/** Istio refuses the whole set for one key that it cannot read. */
function isReadable(key: unknown): boolean {
  if (!isMapping(key) || typeof key["kty"] !== "string") return false;
  const needed = ownValue(parts, key["kty"]);
  const isDescribed = described.every((part) => typeof (key[part] ?? "") === "string");
  return isDescribed && needed !== undefined && needed.every((part) => isPart(part, key[part]));
}

const base64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2,4}|[\w+/-]{2}==|[\w+/-]{3}=)$/u;

function isPart(part: string, value: unknown): boolean {
  return typeof value === "string" && (part === "crv" ? value !== "" : base64.test(value));
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
