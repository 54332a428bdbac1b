import type { ConfigId } from "../../config/config.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { objectWithReference } from "./object-reference.ts";

/** One key set that RequestAuthentications need. */
export interface KeySetReport {
  /** Its URI, or the issuer whose configuration names the URI. Without credentials. */
  readonly place: string;
  /**
   * - `fetched`: the proxies have it.
   * - `stale`: the last fetch failed. The proxies have the last good one.
   * - `failing`: it was never fetched. The proxies reject the tokens of the issuer.
   * - `waiting`: the first fetch has not ended.
   */
  readonly state: "fetched" | "stale" | "failing" | "waiting";
  /** Since the last good fetch. */
  readonly ageSeconds: number | undefined;
  /** Failed fetches since then. */
  readonly failures: number;
  readonly error: string | undefined;
  readonly keys: readonly {
    readonly kid: string | undefined;
    readonly kty: string;
    readonly alg: string | undefined;
  }[];
  /** Why some keys of the issuer are not used. */
  readonly leftOut: readonly string[];
  readonly policies: readonly ConfigId[];
}

export function jwksPage(reports: () => readonly KeySetReport[], state: Pick<PilotState, "originOf">): Route {
  return {
    path: "/debug/jwks",
    doc: "key sets of RequestAuthentications: place, state, age, error, key ids, and the objects that need them",
    answer: () =>
      json(
        reports().map(({ policies, ...report }) => ({
          ...report,
          policies: policies.map((object) => objectWithReference(object, state)),
        })),
      ),
  };
}
