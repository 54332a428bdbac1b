import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

/** The keys of an issuer, wherever they come from. They are replaced as a whole; the last good ones stay in use. */
export interface KeySet {
  /** Finds the key of a token; rejects when there is none. */
  readonly keyFor: JWTVerifyGetKey;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Resolves when nothing is being read or asked for. */
  idle(): Promise<void>;
}

/** Throws for what is no key set. */
export function readKeySet(json: unknown): JWTVerifyGetKey {
  // The library checks the shape, and its type is what it has checked.
  return createLocalJWKSet(json as JSONWebKeySet);
}
