import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { overLimit } from "../../lib/bounded/limit.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { issuerLimits } from "./issuer-limits.ts";

/** The keys of an issuer, from any place. They are replaced as a whole, and the last good set stays in use. */
export interface KeySet {
  /** Finds the key of a token. Rejects when there is none. */
  readonly keyFor: JWTVerifyGetKey;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when no read or fetch is running. */
  idle(): Promise<void>;
}

/** Throws for an invalid key set, and for a set above the key limit. */
export function readKeySet(json: unknown, maxKeys: number = issuerLimits.keys.most): JWTVerifyGetKey {
  const keys = isMapping(json) && Array.isArray(json["keys"]) ? json["keys"].length : 0;
  if (keys > maxKeys) throw overLimit("the key set", maxKeys, "keys", keys);
  // The library checks the shape, so the cast is safe.
  return createLocalJWKSet(json as JSONWebKeySet);
}
