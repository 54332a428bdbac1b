import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Any, anyUnpack } from "@bufbuild/protobuf/wkt";
import {
  type JwtAuthentication,
  JwtAuthenticationSchema,
  type JwtRequirement,
  PerRouteConfigSchema,
} from "#gen/envoy/extensions/filters/http/jwt_authn/v3/config_pb.js";
import { type Decider, refused } from "../../explanation.ts";
import { isPreflight } from "../../route/cors-preflight.ts";
import { factsOf } from "../../route/route-facts.ts";
import type { SimulatedRequest } from "../../simulated-request.ts";
import { type GuardedPlace, type GuardResult, passes, rejects } from "../guard.ts";
import type { JudgedRequest } from "../judged-request.ts";
import { checkRequirement } from "./requirement.ts";
import { type GoodToken, wrongAudience } from "./verify-tokens.ts";

/** The filter that verifies tokens. It rejects bad tokens. Requests without a token pass if the rules allow that. */
export function jwtGuard(config: Any, { request }: JudgedRequest, place: GuardedPlace): GuardResult | undefined {
  const jwt = anyUnpack(config, JwtAuthenticationSchema);
  if (jwt === undefined) return undefined;
  if (jwt.bypassCorsPreflight && isPreflight(request)) return passes("it ignores CORS preflight requests");
  const { requirementSpecifier: ofRoute } = (place.override && anyUnpack(place.override, PerRouteConfigSchema)) ?? {};
  if (ofRoute?.case === "disabled") return passes("it is switched off here");
  const named = ofRoute?.case === "requirementName" ? ofRoute.value : undefined;
  const requirement = named === undefined ? requirementFor(jwt, request) : jwt.requirementMap[named];
  if (named !== undefined && requirement === undefined) {
    const reason = `Failed JWT authentication: Wrong requirement_name: ${named}`;
    return rejects(reason, refused(reason, { status: 403 }));
  }
  if (requirement === undefined) return passes("no rule of it is about this request");
  const checked = checkRequirement(requirement, { request, providers: jwt.providers, context: place });
  const { failure, good } = checked;
  if (failure !== undefined) {
    const status = failure === wrongAudience ? 403 : 401;
    return rejects(failure, refused(failure, { status }), { deciders: decidersOf(checked.rejectedBy, place) });
  }
  if (good.length === 0) return passes("the request has no token, and none is required");
  const issuers = [...new Set(good.map(({ token }) => token.issuer))];
  const metadata = { [filterName]: metadataOf(good) };
  const clearsRoute = good.some(({ provider }) => provider.clearRouteCache);
  return { ...passes(`the token of ${issuers.join(", ")} is valid`), metadata, headers: headersOf(good), clearsRoute };
}

/** The policies behind some providers. If none is known, every policy about tokens at the listener may have decided. */
function decidersOf(providers: readonly string[], { owners, ownerOfPart }: GuardedPlace): readonly Decider[] {
  const known = providers.flatMap((provider) => ownerOfPart?.(provider) ?? []);
  const possible = known.length > 0 ? known : owners.filter((owner) => owner.startsWith("RequestAuthentication/"));
  return [...new Set(possible)].map((object) => ({ object }));
}

const filterName = "envoy.filters.http.jwt_authn";

/** The first rule whose path matches decides. */
function requirementFor(jwt: JwtAuthentication, request: SimulatedRequest): JwtRequirement | undefined {
  const rule = jwt.rules.find(
    ({ match }) => match === undefined || factsOf(match, request).every(({ holds }) => holds),
  );
  const type = rule?.requirementType;
  if (type?.case === "requires") return type.value;
  return type?.case === "requirementName" ? jwt.requirementMap[type.value] : undefined;
}

/** The claims of each accepted token, under the name that its provider gives them. */
function metadataOf(good: readonly GoodToken[]): JsonObject {
  return Object.fromEntries(
    good
      .filter(({ provider }) => provider.payloadInMetadata !== "")
      .map(({ provider, token }) => [
        provider.payloadInMetadata,
        splitClaims(token.claims, provider.normalizePayloadInMetadata?.spaceDelimitedClaims ?? []),
      ]),
  );
}

/** Lists in one text, such as scopes, become lists. */
function splitClaims(claims: JsonObject, names: readonly string[]): JsonObject {
  const split = (name: string, value: JsonValue) =>
    names.includes(name) && typeof value === "string" ? value.split(" ").filter((word) => word !== "") : value;
  return Object.fromEntries(Object.entries(claims).map(([name, value]) => [name, split(name, value)]));
}

/** Claims as headers for the application. A token that is not forwarded disappears. */
function headersOf(good: readonly GoodToken[]): Readonly<Record<string, string | undefined>> {
  const changes: Record<string, string | undefined> = {};
  for (const { provider, token, header } of good) {
    for (const { claimName, headerName } of provider.claimToHeaders) {
      const value = claimName.split(".").reduce<JsonValue | undefined>(memberOf, token.claims);
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
        changes[headerName.toLowerCase()] = String(value);
      }
    }
    if (provider.forwardPayloadHeader !== "") {
      changes[provider.forwardPayloadHeader.toLowerCase()] = token.text.split(".")[1];
    }
    if (!provider.forward && header !== undefined) changes[header] = undefined;
  }
  return changes;
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
