import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { overLimit } from "../../lib/bounded/limit.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { issuerLimits } from "./issuer-limits.ts";

/** The keys of an issuer, wherever they come from. They are replaced as a whole; the last good ones stay in use. */
export interface KeySet {
  /** Finds the key of a token; rejects when there is none. */
  readonly keyFor: JWTVerifyGetKey;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when nothing is being read or asked for. */
  idle(): Promise<void>;
}

/** Throws for what is no key set, and for one of more keys than an issuer has. */
export function readKeySet(json: unknown, maxKeys: number = issuerLimits.keys.most): JWTVerifyGetKey {
  const keys = isMapping(json) && Array.isArray(json["keys"]) ? json["keys"].length : 0;
  if (keys > maxKeys) throw overLimit("the key set", maxKeys, "keys", keys);
  // The library checks the shape, and its type is what it has checked.
  return createLocalJWKSet(json as JSONWebKeySet);
}
