import type { Change, Collection, Commit } from "../../collection/collection.ts";
import type { ConfigId } from "../../config/config.ts";
import { configId } from "../../config/config.ts";
import type { PushRequest } from "../model/push-request.ts";
import type { Service, ServiceEndpoints } from "../model/service/service.ts";
import { isResolvedByClient, parseServiceKey } from "../model/service/service.ts";
import type { Environment } from "./environment.ts";

/** The push request of a commit; undefined when no proxy is affected. `now` is the clock's time. */
export function pushRequestFor(commit: Commit, environment: Environment, now: number): PushRequest | undefined {
  const changed = new Set<ConfigId>();
  const reasons = new Map<string, number>();
  function note(reason: string, ids: Iterable<ConfigId>): void {
    for (const id of ids) {
      changed.add(id);
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }

  const { services, endpoints, instances, mesh, networkGateways } = environment;
  note("service", serviceIds(commit, environment));
  note("endpoint", endpointIds(commit.changesOf(endpoints), services));
  note(
    "endpoint",
    Array.from(commit.changesOf(instances), ({ key }) => configId("Instance", "", key)),
  );
  note("config", configIds("VirtualService", commit, environment.virtualServices));
  note("config", configIds("DestinationRule", commit, environment.destinationRules));
  note("config", configIds("Gateway", commit, environment.gateways));
  note("config", configIds("Sidecar", commit, environment.sidecars));
  note("config", configIds("PeerAuthentication", commit, environment.peerAuthentications));
  note("config", configIds("RequestAuthentication", commit, environment.requestAuthentications));
  note("config", configIds("AuthorizationPolicy", commit, environment.authorizationPolicies));
  note("config", configIds("Telemetry", commit, environment.telemetries));
  note("config", configIds("ProxyConfig", commit, environment.proxyConfigs));
  note("config", configIds("EnvoyFilter", commit, environment.envoyFilters));
  note("config", configIds("Extension", commit, environment.extensions));
  note("secret", configIds("Secret", commit, environment.secretCredentials));
  note("secret", configIds("ConfigMap", commit, environment.configMapCredentials));
  const anchors = commit.changesOf(environment.trustAnchors).map(({ key }) => configId("TrustAnchor", "", key));
  note("secret", anchors.slice(0, 1));
  const forced = [mesh, networkGateways].some((collection) => commit.changesOf<unknown>(collection).length > 0);
  if (forced) reasons.set("global", 1);
  // Otherwise the service of a provider appeared or disappeared.
  else note("config", providerIds(commit, environment));
  if (changed.size === 0 && !forced) return undefined;
  return { changed, forced, reasons, startedAt: now };
}

/** Clusters contain the SANs of a service's peers, so a change of peers is a change of the service. */
function serviceIds(commit: Commit, { services, peers }: Environment): ReadonlySet<ConfigId> {
  const keys = [...commit.changesOf(services), ...commit.changesOf(peers)].map(({ key }) => parseServiceKey(key));
  return new Set(keys.map(({ namespace, hostname }) => configId("Service", namespace, hostname)));
}

function providerIds(commit: Commit, { extensionProviders }: Environment): readonly ConfigId[] {
  return commit.changesOf(extensionProviders).map(({ key }) => configId("ExtensionProvider", "", key));
}

type Named = { readonly namespace: string; readonly name: string };

function* configIds<T extends Named>(kind: string, commit: Commit, collection: Collection<T>): Generator<ConfigId> {
  for (const change of commit.changesOf(collection)) {
    const { namespace, name } = change.type === "removed" ? change.before : change.after;
    yield configId(kind, namespace, name);
  }
}

/** Clusters contain endpoints that Envoy resolves by DNS, so these endpoints change the service as well. */
function* endpointIds(
  changes: readonly Change<ServiceEndpoints>[],
  services: Collection<Service>,
): Generator<ConfigId> {
  for (const change of changes) {
    const { namespace, hostname } = change.type === "removed" ? change.before : change.after;
    yield configId("Endpoints", namespace, hostname);
    const service = services.get(change.key);
    if (service !== undefined && isResolvedByClient(service)) yield configId("Service", namespace, hostname);
  }
}
