import { errorFrom, MeshError } from "../lib/errors.ts";

/** Whether a message of etcd was over a limit. */
export function isOverLimit(thrown: unknown): boolean {
  return thrown instanceof MeshError && thrown.code === "limit-exceeded";
}

/** Whether the store has compacted the requested revision, or has not reached it. */
export function isUnknownRevision(thrown: unknown): boolean {
  return /required revision (?:has been compacted|is a future revision)/u.test(errorFrom(thrown).message);
}

/**
 * Whether a new login may help. The server has forgotten the token, users or roles have changed since the login, or
 * authentication was enabled meanwhile. The server has not carried out the call.
 */
export function needsLogin(thrown: unknown): boolean {
  return /invalid auth token|revision of auth store is old|user name is empty/u.test(errorFrom(thrown).message);
}

/** Whether a server refused a login because it has no users. */
export function needsNoLogin(thrown: unknown): boolean {
  return /authentication is not enabled/u.test(errorFrom(thrown).message);
}
