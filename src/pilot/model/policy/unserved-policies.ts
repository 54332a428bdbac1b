import type { ConfigId } from "../../../config/config.ts";
import type { Conflict } from "../conflict.ts";
import type { MeshSettings } from "../mesh-settings.ts";
import type { Scope } from "../scope/sidecar-scope.ts";
import { effectiveLogs } from "../telemetry/effective-logs.ts";
import { effectiveTracing } from "../telemetry/effective-tracing.ts";
import type { AuthorizationAction } from "./authorization-policy.ts";
import type { ExtensionProvider } from "./extension-provider.ts";
import { namedProvider } from "./named-provider.ts";
import type { Telemetry, WorkloadMode } from "./telemetry.ts";
import type { TrafficPolicies } from "./traffic-policies.ts";

/** The facts of a class of proxies that decide whether they can follow their policies. */
interface PolicyClient {
  readonly policies: TrafficPolicies;
  /** The side of the connections that the policies concern. */
  readonly mode: WorkloadMode;
  /** The proxy contains Istio's stats filter. */
  readonly stats: boolean;
  readonly scope: Pick<Scope, "service">;
  readonly mesh: MeshSettings;
}

/** The policies that such proxies cannot follow, wholly or in part. */
export function unservedPolicies(client: PolicyClient): readonly Conflict[] {
  return [...uncountedMetrics(client), ...unreachedProviders(client)];
}

function uncountedMetrics({ policies: { telemetry }, stats }: PolicyClient): readonly Conflict[] {
  const losers = telemetry.filter(({ metrics }) => metrics.length > 0).map(({ owner }) => owner);
  if (stats || losers.length === 0) return [];
  const reason = "the proxy was built without Istio's stats filter, so it does not count these metrics";
  return [{ type: "telemetry", about: "metrics", winner: undefined, losers, reason }];
}

/** A provider that policies use, and the consequence if the proxy cannot reach it. */
interface ProviderUse {
  readonly provider: string;
  readonly owners: readonly ConfigId[];
  readonly consequenceOf: (provider: ExtensionProvider) => string;
}

function unreachedProviders(client: PolicyClient): readonly Conflict[] {
  const { policies, scope } = client;
  return [...logUses(client), ...traceUses(client), ...checkUses(client)].flatMap((use) => {
    const provider = namedProvider(use.provider, policies.providers);
    const cause = provider && causeOf(provider, scope);
    if (provider === undefined || cause === undefined) return [];
    const reason = `${cause}, so ${use.consequenceOf(provider)}`;
    return [{ type: "provider", about: `provider ${provider.name}`, winner: undefined, losers: use.owners, reason }];
  });
}

/** Why the proxy cannot call the service of the provider; undefined if it can, or if there is no service. */
function causeOf({ type, cluster }: ExtensionProvider, scope: PolicyClient["scope"]): string | undefined {
  if (type === "file-log" || type === "prometheus" || type === "unused") return undefined;
  if (cluster === undefined) return "its service is unknown, or several namespaces have it";
  const [, port, , hostname = ""] = cluster.split("|");
  const isVisible = scope.service(hostname)?.ports.some(({ number }) => number === Number(port));
  return isVisible === true ? undefined : `${hostname}:${port} is not visible to the proxy (Sidecar, exportTo)`;
}

function logUses({ policies: { telemetry }, mode, mesh }: PolicyClient): readonly ProviderUse[] {
  const choices = effectiveLogs(telemetry, mesh.defaultProviders.accessLogs, mode).filter(({ disabled }) => !disabled);
  return choices.map(({ provider }) => ({
    provider,
    owners: namersOf(provider, telemetry, ({ accessLogs }) => accessLogs),
    consequenceOf: () => "it gets no access logs",
  }));
}

function traceUses({ policies: { telemetry }, mode, mesh }: PolicyClient): readonly ProviderUse[] {
  const choice = effectiveTracing(telemetry, mesh.defaultProviders.traces, mode);
  if (choice?.provider === undefined || choice.disabled) return [];
  const owners = namersOf(choice.provider, telemetry, ({ traces }) => traces);
  return [{ provider: choice.provider, owners, consequenceOf: lostSpans }];
}

/** Envoy refuses listeners with some tracers if their cluster is missing. */
function lostSpans({ type, cluster }: ExtensionProvider): string {
  const isRefused = cluster !== undefined && (type === "zipkin" || type === "datadog");
  return isRefused ? "Envoy refuses listeners with this tracer" : "it gets no spans";
}

/** The Telemetry objects that name the provider; none if only the MeshConfig does. */
function namersOf(
  provider: string,
  telemetries: readonly Telemetry[],
  rulesOf: (telemetry: Telemetry) => readonly { readonly providers: readonly string[] }[],
): readonly ConfigId[] {
  const naming = telemetries.filter((each) => rulesOf(each).some(({ providers }) => providers.includes(provider)));
  return naming.map(({ owner }) => owner);
}

function checkUses({ policies: { authorization } }: PolicyClient): readonly ProviderUse[] {
  const custom = authorization.filter(({ action, dryRun }) => action === "custom" && !dryRun);
  return custom.map(({ provider, owner }) => ({
    provider: provider ?? "",
    owners: [owner],
    consequenceOf: lostChecks,
  }));
}

function lostChecks(provider: ExtensionProvider): string {
  const passes = provider.cluster !== undefined && "failOpen" in provider && provider.failOpen;
  return passes ? "the requests pass unchecked (failOpen)" : "the requests are denied";
}

/** The policies that a gRPC server without a proxy cannot enforce. */
export function unservedByGrpc({ authorization, authentication }: TrafficPolicies): readonly Conflict[] {
  const ofAction = (action: AuthorizationAction) =>
    authorization.filter((policy) => policy.action === action && !policy.dryRun);
  const reported = [
    {
      about: "action CUSTOM",
      policies: ofAction("custom"),
      reason: "gRPC cannot ask a provider, so the requests that the rules match are denied",
    },
    { about: "action AUDIT", policies: ofAction("audit"), reason: "gRPC cannot audit" },
    {
      about: "tokens",
      policies: authentication,
      reason: "gRPC checks no tokens, so every request is one without a token",
    },
  ];
  return reported.flatMap(({ about, policies, reason }) => {
    const losers = policies.map(({ owner }) => owner);
    return losers.length === 0 ? [] : [{ type: "proxyless", about, winner: undefined, losers, reason }];
  });
}
