import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** Whether a key of a set (JWKS as JSON) signed a token. `no key`: none fits its `kid` and `alg`. */
export type SignatureState = "valid" | "invalid" | "no key" | "no valid keys";
export type VerifiesToken = (keySet: string, token: string) => SignatureState;

/** A token that can be read. Nothing of it is verified. */
export interface ParsedToken {
  readonly text: string;
  readonly claims: JsonObject;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
}

/** Undefined if the text is no token. */
export function parseToken(text: string): ParsedToken | undefined {
  const parts = text.split(".");
  if (parts.length !== 3) return undefined;
  const claims = objectIn(parts[1] ?? "");
  if (claims === undefined || objectIn(parts[0] ?? "") === undefined) return undefined;
  const { iss, aud, exp, nbf } = claims;
  return {
    text,
    claims,
    issuer: typeof iss === "string" ? iss : "",
    audiences: (Array.isArray(aud) ? aud : [aud]).filter((each) => typeof each === "string"),
    expires: typeof exp === "number" ? exp : undefined,
    notBefore: typeof nbf === "number" ? nbf : undefined,
  };
}

function objectIn(part: string): JsonObject | undefined {
  try {
    const value = JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as JsonValue;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
