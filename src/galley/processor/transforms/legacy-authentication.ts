import type { Policy } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { MeshConfig } from "#gen/istio/mesh/v1alpha1/config_pb.js";
import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { type Config, configKey, isSameConfig } from "../../../config/config.ts";
import { isConverted } from "../../../config/converted.ts";
import { type Kind, outputOf } from "../../../config/kind.ts";
import { authorizationPolicy } from "../../../config/kinds/authorization-policy.ts";
import { service } from "../../../config/kinds/kubernetes.ts";
import { meshPolicy, policy } from "../../../config/kinds/legacy/authentication-policy.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { peerAuthentication } from "../../../config/kinds/peer-authentication.ts";
import { requestAuthentication } from "../../../config/kinds/request-authentication.ts";
import { serviceEntry } from "../../../config/kinds/service-entry.ts";
import { inputCollection, type Output, type Transformer, type TransformerInputs } from "../transformer.ts";
import type { LegacyObject } from "./legacy/converted-config.ts";
import { mtlsOf } from "./legacy/legacy-mtls.ts";
import { demandOf, tokensOf } from "./legacy/legacy-tokens.ts";
import { type KnownServices, type TargetService, targetService } from "./legacy/target-services.ts";
import { currentFact, meshFact } from "./mesh-fact.ts";

/** A legacy policy with what its targets name. */
interface AimedPolicy extends LegacyObject<Policy> {
  readonly targets: readonly TargetService[];
}

/**
 * Converts the authentication policies of Istio before 1.6. Mutual TLS becomes PeerAuthentications, tokens become a
 * RequestAuthentication, and an AuthorizationPolicy denies requests without the tokens that are not optional.
 */
export function legacyAuthenticationTransformer(domain: string): Transformer {
  const inputs = [policy, meshPolicy, service, serviceEntry, peerAuthentication, meshConfig];
  return {
    name: "legacy authentication",
    inputs: inputs.map(({ collection }) => collection),
    outputs: [outputTo(peerAuthentication), outputTo(requestAuthentication), outputTo(authorizationPolicy)],
    install: (graph, input) => {
      const root = meshFact(graph, { name: "legacy/root", mesh: inputCollection(meshConfig, input), pick: rootOf });
      const aimed = aimedPolicies(graph, input, { root, domain });
      return new Map([
        [outputTo(peerAuthentication).collection, peersOf(graph, aimed, { root, own: ownPeers(graph, input) })],
        [outputTo(requestAuthentication).collection, converted(graph, aimed, requestAuthentication, tokensOf)],
        [outputTo(authorizationPolicy).collection, converted(graph, aimed, authorizationPolicy, demandOf)],
      ]);
    },
  };
}

function outputTo(kind: Kind): Output {
  return { collection: outputOf(kind) ?? kind.collection, group: kind.snapshot ?? "default" };
}

function rootOf({ rootNamespace }: MeshConfig): string {
  return rootNamespace;
}

interface Surroundings {
  readonly root: Collection<string>;
  readonly domain: string;
}

/** All legacy policies. Only a MeshPolicy has no namespace. */
function aimedPolicies(
  graph: Graph,
  input: TransformerInputs,
  { root, domain }: Surroundings,
): Collection<AimedPolicy> {
  const services = inputCollection(service, input);
  const entries = graph.group({
    name: "legacy/entries by host",
    from: inputCollection(serviceEntry, input),
    keys: ({ spec }) => spec.hosts,
  });
  const parts = [inputCollection(policy, input), inputCollection(meshPolicy, input)];
  return graph.derive({
    name: "legacy/policies",
    from: graph.union({ name: "legacy/both kinds", parts, equals: isSameConfig }),
    reads: { root, services, entries },
    key: ({ config }: AimedPolicy) => configKey(config),
    to: (config, reads) => {
      const namespace = config.namespace === "" ? currentFact(reads.root, rootOf) : config.namespace;
      return [{ config, namespace, targets: targetsOf({ config, namespace }, domain, reads) }];
    },
    equals: (a, b) =>
      isSameConfig(a.config, b.config) &&
      a.namespace === b.namespace &&
      JSON.stringify(a.targets) === JSON.stringify(b.targets),
  });
}

/** A service that is named twice is one target, with the ports of both. Without ports it has all. */
function targetsOf({ config, namespace }: LegacyObject<Policy>, domain: string, known: KnownServices) {
  const byName = Map.groupBy(config.spec.targets, ({ name }) => name);
  return Array.from(byName, ([name, named]) => {
    const ports = named.some((each) => each.ports.length === 0) ? [] : named.flatMap((each) => each.ports);
    return targetService({ name, ports }, { namespace, domain }, known);
  }).filter((target) => target !== undefined);
}

function ownPeers(graph: Graph, input: TransformerInputs): Collection<readonly Config[]> {
  return graph.group({
    name: "legacy/own PeerAuthentications",
    from: inputCollection(peerAuthentication, input),
    keys: (config) => (isConverted(config) ? [] : [config.namespace]),
  });
}

interface Peers {
  readonly root: Collection<string>;
  readonly own: Collection<readonly Config[]>;
}

function peersOf(graph: Graph, from: Collection<AimedPolicy>, reads: Peers): Collection<Config> {
  return graph.derive({
    name: "legacy/PeerAuthentications",
    from,
    reads,
    key: (config: Config) => configKey(config),
    to: (aimed, { root, own }) => {
      const namespaces = [aimed.namespace, currentFact(root, rootOf)];
      const hasOwn = namespaces.some((namespace) => own.get(namespace) !== undefined);
      return mtlsOf(aimed, aimed.targets, hasOwn);
    },
    equals: isSameConfig,
  });
}

function converted(
  graph: Graph,
  from: Collection<AimedPolicy>,
  { kind }: Pick<Kind, "kind">,
  convert: (policy: LegacyObject<Policy>, targets: readonly TargetService[]) => readonly Config[],
): Collection<Config> {
  return graph.derive({
    name: `legacy/${kind}s`,
    from,
    key: (config: Config) => configKey(config),
    to: (aimed) => convert(aimed, aimed.targets),
    equals: isSameConfig,
  });
}
