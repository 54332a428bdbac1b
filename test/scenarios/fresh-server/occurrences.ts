import { keyEpoch } from "../../../src/testing/mesh/token-edits.ts";
import type { WrittenObject } from "../../../src/testing/mesh/written-objects.ts";

/** The topics that changes must cover, beside kinds of the same name. */
const topics: Readonly<Record<string, (object: WrittenObject) => boolean>> = {
  "a second namespace": ({ metadata: { namespace = "a" } }) => namespace !== "a",
  exportTo: (object) => /"(networking\.istio\.io\/)?exportTo":(\["|")/u.test(JSON.stringify(object)),
  delegate: ({ kind, metadata: { name }, spec }) =>
    kind === "VirtualService" && (name === "delegate" || JSON.stringify(spec).includes('"delegate"')),
  "key sets": ({ metadata: { namespace } }) => namespace === keyEpoch.namespace,
  "CUSTOM authorization": ({ kind, spec }) =>
    kind === "AuthorizationPolicy" && JSON.stringify(spec).includes('"CUSTOM"'),
  "extension providers": ({ kind, spec = {} }) => kind === "MeshConfig" && "extensionProviders" in spec,
  "ServiceEntry with workloadSelector": ({ kind, spec = {} }) => kind === "ServiceEntry" && "workloadSelector" in spec,
};
const kinds = [
  "Sidecar",
  "Gateway",
  "WorkloadEntry",
  "PeerAuthentication",
  "RequestAuthentication",
  "AuthorizationPolicy",
  "Policy",
  "MeshPolicy",
  "ServiceRole",
  "ServiceRoleBinding",
  "RbacConfig",
  "ClusterRbacConfig",
  "Telemetry",
  "EnvoyFilter",
  "WasmPlugin",
  "MeshConfig",
  "MeshNetworks",
  "Service",
  "EndpointSlice",
  "Pod",
  "ServiceEntry",
  "VirtualService",
  "DestinationRule",
];

/** Counts the changes that write or remove an object of a topic. */
export class Occurrences {
  readonly #counts = new Map<string, number>([...Object.keys(topics), ...kinds].map((topic) => [topic, 0]));
  #changes = 0;

  /** Counts one change. */
  note(edited: readonly WrittenObject[]): void {
    this.#changes += 1;
    for (const topic of new Set(edited.flatMap(topicsOf))) this.#counts.set(topic, (this.#counts.get(topic) ?? 0) + 1);
  }

  /** The rates per 1 000 changes. */
  get rates(): ReadonlyMap<string, number> {
    return new Map(
      Array.from(this.#counts, ([topic, count]) => [topic, Math.round((1000 * count) / Math.max(this.#changes, 1))]),
    );
  }

  get text(): string {
    return Array.from(this.rates, ([topic, rate]) => `${topic} ${rate}`).join(", ");
  }
}

function topicsOf(object: WrittenObject): readonly string[] {
  const about = Object.entries(topics).filter(([, isAbout]) => isAbout(object));
  return [...about.map(([topic]) => topic), ...kinds.filter((kind) => kind === object.kind)];
}
