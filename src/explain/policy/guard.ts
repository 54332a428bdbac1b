import type { JsonObject } from "@bufbuild/protobuf";
import type { Any } from "@bufbuild/protobuf/wkt";
import type { ConfigId } from "../../config/config.ts";
import type { Decider, Decision, RequestOutcome } from "../explanation.ts";
import type { JudgedRequest } from "./judged-request.ts";
import type { VerifiesToken } from "./jwt/token.ts";

/** Facts about the world beside the proxy's configuration, on which filters depend. */
export interface GuardContext {
  /** The time at which tokens are judged, in seconds since 1970. Without it, tokens do not expire. */
  readonly nowSeconds?: number | undefined;
  /** Checks signatures. Without it, every signature counts as valid. */
  readonly verifies?: VerifiesToken | undefined;
  /** The answer of external authorizers. */
  readonly extAuthz?: "allow" | "deny" | undefined;
}

/** A filter that may reject requests, at its place in a listener. */
export interface GuardedPlace extends GuardContext {
  /** The name of the filter. */
  readonly name: string;
  /** The objects behind the listener. */
  readonly owners: readonly ConfigId[];
  /** The object behind a part of the listener, by the name of the part; undefined if unknown. */
  readonly ownerOfPart?: ((part: string) => ConfigId | undefined) | undefined;
  /** Settings for this filter at the route of the request, instead of its own. */
  readonly override?: Any | undefined;
}

/** The result of a filter for a request. */
export interface GuardResult {
  readonly step: Omit<Decision, "type" | "name" | "passedOver">;
  /** Absent if the request passes. */
  readonly outcome?: RequestOutcome | undefined;
  /** The objects that decided, if the filter rejects the request or lets it pass by a rule. */
  readonly deciders: readonly Decider[];
  /** Metadata that the filter writes, by its name for it. */
  readonly metadata?: Readonly<Record<string, JsonObject>>;
  /** Headers that the filter sets, or removes. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Whether the route is chosen again after this filter. */
  readonly clearsRoute?: boolean;
}

/** Evaluates one kind of filter. Undefined if it does nothing with this request. */
export type Guard = (config: Any, judged: JudgedRequest, place: GuardedPlace) => GuardResult | undefined;

/** The request passes. */
export function passes(
  why: string,
  more: Partial<GuardResult> & { readonly notes?: readonly string[] } = {},
): GuardResult {
  const { notes = [], deciders = [], ...rest } = more;
  return { step: { why, notes, owners: ownersOf(deciders) }, deciders, ...rest };
}

/** The request ends here. */
export function rejects(
  why: string,
  outcome: RequestOutcome,
  more: Partial<GuardResult> & { readonly notes?: readonly string[] } = {},
): GuardResult {
  return { ...passes(why, more), outcome };
}

export function ownersOf(deciders: readonly Decider[]): readonly ConfigId[] {
  return [...new Set(deciders.map(({ object }) => object))];
}
