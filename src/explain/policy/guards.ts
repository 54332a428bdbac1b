import type { Any } from "@bufbuild/protobuf/wkt";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ConfigId } from "../../config/config.ts";
import type { Decider, Decision, RequestOutcome } from "../explanation.ts";
import { httpExtAuthzGuard, networkExtAuthzGuard } from "./ext-authz-guard.ts";
import { type Guard, type GuardContext, type GuardResult, passes } from "./guard.ts";
import type { JudgedRequest } from "./judged-request.ts";
import { jwtGuard } from "./jwt/jwt-guard.ts";
import { httpRbacGuard, networkRbacGuard } from "./rbac-guard.ts";

/** How the filters of a chain judge a request. */
export interface GuardedRequest {
  readonly steps: readonly Decision[];
  /** Absent if no filter ends the request. */
  readonly outcome?: RequestOutcome;
  /** The objects that decided: of the filter that rejects it, else of the last that lets it pass by a rule. */
  readonly deciders: readonly Decider[];
  /** The request with the metadata and headers that filters wrote. */
  readonly judged: JudgedRequest;
}

/** Filters that reject requests by rules which explain evaluates. */
const guards: ReadonlyMap<string, Guard> = new Map<string, Guard>([
  ["envoy.extensions.filters.http.rbac.v3.RBAC", httpRbacGuard],
  ["envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication", jwtGuard],
  ["envoy.extensions.filters.http.ext_authz.v3.ExtAuthz", httpExtAuthzGuard],
  ["envoy.extensions.filters.network.rbac.v3.RBAC", networkRbacGuard],
  ["envoy.extensions.filters.network.ext_authz.v3.ExtAuthz", networkExtAuthzGuard],
]);

/** Filters that may answer or reject by themselves, and what is known of them. */
const notPredicted: ReadonlyMap<string, string> = new Map([
  ["envoy.extensions.filters.http.lua.v3.Lua", "a Lua script may answer itself"],
  ["envoy.extensions.filters.http.wasm.v3.Wasm", "a Wasm module may answer itself"],
  ["envoy.extensions.filters.network.wasm.v3.Wasm", "a Wasm module may close the connection"],
  ["envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor", "an external processor may answer itself"],
  ["envoy.extensions.filters.http.ratelimit.v3.RateLimit", "a rate limit may reject it"],
  ["envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit", "a local rate limit may reject it"],
  ["envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit", "a local rate limit may close the connection"],
  ["envoy.extensions.filters.network.ratelimit.v3.RateLimit", "a rate limit may close the connection"],
  ["envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit", "a connection limit may close it"],
  ["envoy.extensions.filters.http.oauth2.v3.OAuth2", "OAuth2 may redirect it"],
  ["envoy.extensions.filters.http.basic_auth.v3.BasicAuth", "basic authentication may reject it"],
  ["envoy.extensions.filters.http.csrf.v3.CsrfPolicy", "a check of origins may reject it"],
  ["envoy.extensions.filters.http.buffer.v3.Buffer", "a limit of the body may reject it"],
  ["envoy.extensions.filters.http.admission_control.v3.AdmissionControl", "admission control may reject it"],
  ["envoy.extensions.filters.http.adaptive_concurrency.v3.AdaptiveConcurrency", "a limit of concurrency may reject it"],
]);

/** Filters of connections, up to the one that serves them. */
export function guardConnection(
  { filters }: FilterChain,
  judged: JudgedRequest,
  owners: readonly ConfigId[],
  context: GuardContext,
): GuardedRequest {
  const configs = filters.flatMap(({ name, configType }) =>
    configType.case === "typedConfig" ? [{ name, config: configType.value }] : [],
  );
  return guard(configs, judged, owners, context);
}

/** Filters of requests. Disabled filters run only where a route enables them, which Binnacle never does. */
export function guardRequest(
  { httpFilters }: HttpConnectionManager,
  judged: JudgedRequest,
  owners: readonly ConfigId[],
  context: GuardContext,
): GuardedRequest {
  const configs = httpFilters
    .filter(({ disabled }) => !disabled)
    .map(({ name, configType }) => ({
      name,
      config: configType.case === "typedConfig" ? configType.value : undefined,
    }));
  return guard(configs, judged, owners, context);
}

interface NamedFilter {
  readonly name: string;
  /** Undefined if it arrives on its own, over ECDS. */
  readonly config: Any | undefined;
}

function guard(
  filters: readonly NamedFilter[],
  first: JudgedRequest,
  owners: readonly ConfigId[],
  context: GuardContext,
): GuardedRequest {
  const steps: Decision[] = [];
  let judged: JudgedRequest = { ...first, request: { ...first.request, metadata: first.metadata } };
  let deciders: readonly Decider[] = [];
  for (const { name, config } of filters) {
    const result = resultOf(name, config, judged, owners, context);
    if (result === undefined) continue;
    steps.push({ ...result.step, type: "filter", name, passedOver: [] });
    judged = changed(judged, result);
    if (result.outcome !== undefined) {
      return { steps, outcome: result.outcome, deciders: rejectedBy(result.deciders, owners), judged };
    }
    if (result.deciders.length > 0) ({ deciders } = result);
  }
  return { steps, deciders, judged };
}

/** A filter that is not made from a policy comes from an EnvoyFilter. */
function rejectedBy(policies: readonly Decider[], owners: readonly ConfigId[]): readonly Decider[] {
  return policies.length > 0 ? policies : envoyFiltersIn(owners).map((object) => ({ object }));
}

function envoyFiltersIn(owners: readonly ConfigId[]): readonly ConfigId[] {
  return owners.filter((owner) => owner.startsWith("EnvoyFilter/"));
}

function resultOf(
  name: string,
  config: Any | undefined,
  judged: JudgedRequest,
  owners: readonly ConfigId[],
  context: GuardContext,
): GuardResult | undefined {
  if (config === undefined) return passes("it arrives on its own (ECDS), and may answer itself: not predicted");
  const type = config.typeUrl.slice(config.typeUrl.lastIndexOf("/") + 1);
  const known = guards.get(type)?.(config, judged, { ...context, name, owners });
  if (known !== undefined) return known;
  const may = notPredicted.get(type);
  if (may === undefined) return undefined;
  return { step: { why: `${may}: not predicted`, notes: [], owners: envoyFiltersIn(owners) }, deciders: [] };
}

function changed(judged: JudgedRequest, { metadata = {}, headers = {} }: GuardResult): JudgedRequest {
  const written = Object.entries(metadata).map(([name, fields]) => [name, { ...judged.metadata[name], ...fields }]);
  const kept = Object.entries({ ...judged.request.headers, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const all = { ...judged.metadata, ...Object.fromEntries(written) };
  return { ...judged, metadata: all, request: { ...judged.request, headers: Object.fromEntries(kept), metadata: all } };
}
