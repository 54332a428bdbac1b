import { type Kind, outputOf, type SnapshotGroup } from "../config/kind.ts";
import { service } from "../config/kinds/kubernetes.ts";
import { meshConfig } from "../config/kinds/mesh-config.ts";
import { serviceEntry } from "../config/kinds/service-entry.ts";
import { kinds } from "../config/kinds.ts";
import { meshServices, syntheticEntries } from "../config/mesh/mesh-service.ts";
import { type Body, messageBody } from "./envelope/body.ts";
import { meshServiceBody } from "./envelope/mesh-service-body.ts";

/** A collection on the wire: its name, its kind, and the encoding of its bodies. */
export interface McpCollection {
  /** Such as `istio/networking/v1alpha3/gateways`. */
  readonly name: string;
  /** Snapshots are consistent within a group (SNAP-1 of the protocol). */
  readonly group: SnapshotGroup;
  readonly kind: Kind;
  readonly body: Body;
  /** Set if an object's wire name differs from its key, as for the only object of a collection. */
  readonly renamed?: { readonly key: string; readonly wireName: string };
}

const wireNames = new Map([[meshConfig.collection, { key: "mesh", wireName: "istio-system/meshconfig" }]]);

/** Groups whose objects may leave the process. Secrets never do. */
const sentGroups: ReadonlySet<SnapshotGroup> = new Set(["default", "syntheticServiceEntry"]);

function passedOn(kind: Kind): readonly McpCollection[] {
  const name = outputOf(kind);
  const group = kind.snapshot ?? "default";
  if (name === undefined || !sentGroups.has(group)) return [];
  const renamed = wireNames.get(name);
  return [{ name, group, kind, body: messageBody(kind.schema), ...(renamed && { renamed }) }];
}

/** Every collection that travels over MCP, in either dialect. The last two are made of Kubernetes services. */
export const mcpCollections: readonly McpCollection[] = [
  ...kinds.flatMap(passedOn),
  {
    name: syntheticEntries,
    group: "syntheticServiceEntry",
    kind: serviceEntry,
    body: messageBody(serviceEntry.schema),
  },
  { name: meshServices, group: "syntheticServiceEntry", kind: service, body: meshServiceBody },
];

const byName = new Map(mcpCollections.map((collection) => [collection.name, collection]));

export function mcpCollection(name: string): McpCollection | undefined {
  return byName.get(name);
}
