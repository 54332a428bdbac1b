import { error, errorUnless } from "../finding.ts";
import type { Finding } from "../kind.ts";
import { isMapping } from "../raw-object.ts";

/** Where the keys of an issuer are fetched from. Absent is fine: then they are discovered. */
export function keySetUri(uri: string, path: string): readonly Finding[] {
  const isHttp = URL.canParse(uri) && ["http:", "https:"].includes(new URL(uri).protocol);
  return errorUnless(uri === "" || isHttp, path, {
    code: "bad-url",
    message: `"${uri}" is not a URL that keys can be fetched from`,
    hint: "write http://… or https://…",
  });
}

/** The keys of an issuer, written out. Absent is fine. */
export function keySet(text: string, path: string): readonly Finding[] {
  if (text === "" || isKeySet(text)) return [];
  const hint = 'write {"keys": […]}';
  return [error(path, { code: "bad-jwks", message: "the text is not a set of keys in JSON", hint })];
}

function isKeySet(text: string): boolean {
  try {
    const raw: unknown = JSON.parse(text);
    // A single key will do, too.
    return isMapping(raw) && (Array.isArray(raw["keys"]) || typeof raw["kty"] === "string");
  } catch {
    return false;
  }
}
