import type { Any } from "@bufbuild/protobuf/wkt";
import type { FilterChain } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { HttpConnectionManager } from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import type { ConfigId } from "../../config/config.ts";
import type { EnvoyConfig } from "../envoy-config.ts";
import type { Decider, Decision, RequestOutcome } from "../explanation.ts";
import { itemOf, type Place, patchersOf } from "../patched-place.ts";
import { type FilterOverride, overrideOf } from "../route/filter-override.ts";
import type { RouteSearch } from "../route/find-route.ts";
import type { SimulatedRequest } from "../simulated-request.ts";
import { httpExtAuthzGuard, networkExtAuthzGuard } from "./ext-authz-guard.ts";
import { type Guard, type GuardContext, type GuardResult, passes, rejects } from "./guard.ts";
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

/** The listener of filters: its configuration, and the objects behind it. */
export interface GuardedListener {
  readonly config: EnvoyConfig;
  readonly name: string;
  readonly owners: readonly ConfigId[];
  readonly context: GuardContext;
}

/** Filters of connections, up to the one that serves them. */
export function guardConnection(
  { filters }: FilterChain,
  chain: Place,
  judged: JudgedRequest,
  listener: GuardedListener,
): GuardedRequest {
  const listed = filters.flatMap((filter): readonly ListedFilter[] => {
    const { name, configType } = filter;
    if (configType.case !== "typedConfig") return [];
    return [{ name, disabled: false, config: configType.value, place: itemOf(chain, "filters", filters, filter) }];
  });
  return new Guarding(listener, judged).run(listed);
}

/** Filters of requests. The route of the request may have settings for them. */
export function guardRequest(
  { httpFilters }: HttpConnectionManager,
  manager: Place,
  judged: JudgedRequest,
  listener: GuardedListener,
  routeFor: (request: SimulatedRequest) => RouteSearch,
): GuardedRequest & { readonly search: RouteSearch } {
  const listed = httpFilters.map((filter): ListedFilter => {
    const { name, disabled, configType } = filter;
    const config = configType.case === "typedConfig" ? configType.value : undefined;
    return { name, disabled, config, place: itemOf(manager, "httpFilters", httpFilters, filter) };
  });
  const guarding = new Guarding(listener, judged, routeFor);
  const guarded = guarding.run(listed);
  return { ...guarded, search: guarding.search ?? routeFor(guarded.judged.request) };
}

interface ListedFilter {
  readonly name: string;
  readonly disabled: boolean;
  /** Undefined if it arrives on its own, over ECDS. */
  readonly config: Any | undefined;
  readonly place: Place;
}

/** One request on its way through the filters of a chain. */
class Guarding {
  /** Undefined for connections. */
  search: RouteSearch | undefined;
  readonly #listener: GuardedListener;
  readonly #routeFor: ((request: SimulatedRequest) => RouteSearch) | undefined;
  #judged: JudgedRequest;

  constructor(listener: GuardedListener, first: JudgedRequest, routeFor?: (request: SimulatedRequest) => RouteSearch) {
    this.#listener = listener;
    this.#routeFor = routeFor;
    this.#judged = { ...first, request: { ...first.request, metadata: first.metadata } };
    // Envoy chooses the route before the first filter runs. Filters that change headers do not change it.
    this.search = routeFor?.(this.#judged.request);
  }

  run(filters: readonly ListedFilter[]): GuardedRequest {
    const steps: Decision[] = [];
    let deciders: readonly Decider[] = [];
    for (const filter of filters) {
      const override = this.#overrideOf(filter);
      const result = this.#resultOf(filter, override);
      if (result === undefined) continue;
      steps.push({ ...result.step, type: "filter", name: filter.name, passedOver: [] });
      this.#judged = changed(this.#judged, result);
      if (result.clearsRoute === true) this.search = this.#routeFor?.(this.#judged.request);
      const behind = this.#patchersOf(override);
      if (result.outcome !== undefined) {
        const own = patchersOf(this.#listener.config, filter.place);
        const by = rejectedBy([result.deciders, behind, own], this.#listener.owners);
        return { steps, outcome: result.outcome, deciders: by, judged: this.#judged };
      }
      if (result.deciders.length + behind.length > 0) deciders = [...result.deciders, ...behind];
    }
    return { steps, deciders, judged: this.#judged };
  }

  #overrideOf(filter: ListedFilter): FilterOverride {
    const end = this.search?.end;
    if (end?.type !== "found") return overrideOf(filter, undefined, []);
    return overrideOf(filter, end.route, end.levels);
  }

  /** The patches that made or changed the settings at the route. */
  #patchersOf(override: FilterOverride): readonly Decider[] {
    const level = override.type === "off" || override.type === "config" ? override.level : undefined;
    return level === undefined ? [] : patchersOf(this.#listener.config, level.place);
  }

  #resultOf(filter: ListedFilter, override: FilterOverride): GuardResult | undefined {
    const { name, config } = filter;
    switch (override.type) {
      case "off":
        if (override.level === undefined || config === undefined || !mayReject(config)) return undefined;
        return passes(`it does not run: ${override.level.name} switches it off`);
      case "chance": {
        if (config === undefined || !mayReject(config)) return undefined;
        const reason = `the clusters of the route have different settings for the filter ${name}: chance decides`;
        return rejects(reason, { type: "unknown", reason });
      }
      case "config": {
        const result = this.#judge(filter, override.config);
        const note = `${override.level.name} has settings of its own for it`;
        return result && { ...result, step: { ...result.step, notes: [...result.step.notes, note] } };
      }
      case "none":
      default:
        return this.#judge(filter, undefined);
    }
  }

  #judge({ name, config }: ListedFilter, override: Any | undefined): GuardResult | undefined {
    if (config === undefined) return passes("it arrives on its own (ECDS), and may answer itself: not predicted");
    const { config: known, name: listener, owners, context } = this.#listener;
    const ownerOfPart = (part: string) => known.ownerOfPart?.("listener", listener, part);
    const place = { ...context, name, owners, ownerOfPart, override };
    const result = guards.get(typeOf(config))?.(config, this.#judged, place);
    if (result !== undefined) return result;
    const may = notPredicted.get(typeOf(config));
    if (may === undefined) return undefined;
    return { step: { why: `${may}: not predicted`, notes: [], owners: envoyFiltersIn(owners) }, deciders: [] };
  }
}

function typeOf({ typeUrl }: Any): string {
  return typeUrl.slice(typeUrl.lastIndexOf("/") + 1);
}

function mayReject(config: Any): boolean {
  return guards.has(typeOf(config)) || notPredicted.has(typeOf(config));
}

/** A filter that is not made from a policy comes from an EnvoyFilter: from one of these patches, if they are known. */
function rejectedBy(known: readonly (readonly Decider[])[], owners: readonly ConfigId[]): readonly Decider[] {
  return known.find((deciders) => deciders.length > 0) ?? envoyFiltersIn(owners).map((object) => ({ object }));
}

function envoyFiltersIn(owners: readonly ConfigId[]): readonly ConfigId[] {
  return owners.filter((owner) => owner.startsWith("EnvoyFilter/"));
}

function changed(judged: JudgedRequest, { metadata = {}, headers = {} }: GuardResult): JudgedRequest {
  const written = Object.entries(metadata).map(([name, fields]) => [name, { ...judged.metadata[name], ...fields }]);
  const kept = Object.entries({ ...judged.request.headers, ...headers }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const all = { ...judged.metadata, ...Object.fromEntries(written) };
  return { ...judged, metadata: all, request: { ...judged.request, headers: Object.fromEntries(kept), metadata: all } };
}
