import type { KeySetReport } from "../../admin/pilot/jwks.ts";
import type { RequestAuthentication } from "../../pilot/model/policy/request-authentication.ts";
import type { KeySetState } from "./key-set-keeper.ts";
import { shownPlace } from "./shown-uri.ts";

/** One row of `/debug/jwks`. */
export function keySetReport(
  { request: { place }, keySet, fetchedAt, error, failures }: KeySetState,
  policies: readonly RequestAuthentication[],
  now: number,
): KeySetReport {
  return {
    place: shownPlace(place),
    state: stateOf({ keySet, error }),
    ageSeconds: fetchedAt === undefined ? undefined : Math.round((now - fetchedAt) / 1000),
    failures,
    error: error?.message,
    keys: keySet?.keys ?? [],
    leftOut: keySet?.leftOut ?? [],
    policies: policies.map(({ owner }) => owner),
  };
}

export function stateOf({ keySet, error }: Pick<KeySetState, "keySet" | "error">): KeySetReport["state"] {
  if (error !== undefined) return keySet === undefined ? "failing" : "stale";
  return keySet === undefined ? "waiting" : "fetched";
}
