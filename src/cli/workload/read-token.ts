import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { readFlagFile } from "../flags/read-flag-file.ts";

/** A token of the user's own issuer, and its subject. */
export interface GivenToken {
  readonly token: string;
  readonly subject: string;
  /** Undefined for a token that names no time. */
  readonly expires: string | undefined;
}

/** Reads a JWT from a file. Its signature is not checked. Throws `bad-option` for another text or an expired token. */
export function readToken(file: string, now: number): GivenToken {
  const token = readFlagFile("token", file).trim();
  const [, payload = "", ...rest] = token.split(".");
  const claims = parseJson(Buffer.from(payload, "base64url").toString());
  if (rest.length !== 1 || !isMapping(claims)) throw new MeshError("bad-option", `--token: ${file} holds no JWT`);
  const { sub, exp } = claims;
  const expires = typeof exp === "number" ? new Date(exp * 1000) : undefined;
  if (expires !== undefined && expires.getTime() <= now) {
    throw new MeshError("bad-option", `--token: the token in ${file} expired at ${expires.toISOString()}`);
  }
  return { token, subject: typeof sub === "string" ? sub : "", expires: expires?.toISOString() };
}

/** Whether a token with this subject is one of a service account, as a server understands it. */
export function isSubjectOf(subject: string, namespace: string, account: string): boolean {
  const isSpiffe = subject.startsWith("spiffe://") && subject.endsWith(`/ns/${namespace}/sa/${account}`);
  return isSpiffe || subject === `system:serviceaccount:${namespace}:${account}`;
}
