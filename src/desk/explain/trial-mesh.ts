import { type Config, type ConfigId, configId } from "../../config/config.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import type { SubstitutedMesh, Substitutes } from "../../pilot/registry/substituted-mesh.ts";
import type { Catalogue } from "../../pilot/xds/catalogue.ts";
import type { Lease } from "../../xds/resource-source.ts";
import type { ResourceType } from "../../xds/resource-type.ts";
import type { TriedMesh } from "./causes-of-field.ts";

export interface TrialMeshOptions {
  readonly client: Proxy;
  /** The second graph. It has the mesh of the client now, and nobody else uses it meanwhile. */
  readonly substituted: SubstitutedMesh;
  /** The objects that differ for the client from those of the users' mesh. */
  readonly own: Substitutes;
  /** Of the client's mesh, without parts. */
  readonly catalogue: Catalogue;
  /** Awaited between the steps of the work. Rejects when the time is over. */
  readonly turn: () => Promise<void>;
}

type Edits = Parameters<TriedMesh["edit"]>[0];

/** The mesh of one proxy at one moment, with trials: changes of the live mesh do not reach it. */
export class TrialMesh implements TriedMesh {
  readonly objects: readonly Config[];
  readonly #options: TrialMeshOptions;
  readonly #byId: ReadonlyMap<ConfigId, Config>;
  /** The objects that were changed so far, as they were. */
  readonly #first = new Map<ConfigId, Config | undefined>();
  readonly #leases = new Map<string, Lease>();

  constructor(options: TrialMeshOptions) {
    this.#options = options;
    this.objects = options.substituted.objects;
    this.#byId = new Map(this.objects.map((config) => [idOf(config), config]));
  }

  async edit(edits: Edits): Promise<void> {
    const { substituted, own, catalogue, turn } = this.#options;
    const changed = new Map<ConfigId, Config | undefined>();
    for (const { object } of edits) changed.set(idOf(object), undefined);
    for (const { version } of edits) if (version !== undefined) changed.set(idOf(version), version);
    for (const id of changed.keys()) if (!this.#first.has(id)) this.#first.set(id, this.#byId.get(id));
    const substitutes = new Map([...own, ...this.#first, ...changed]);
    const { push, request } = substituted.capture(substitutes, catalogue.published.sequence, "kept");
    await catalogue.advance(push, request, turn);
    await turn();
  }

  /** Parts in use are updated, and not made anew. */
  resourcesOf(type: ResourceType): readonly Resource[] {
    const { catalogue, client } = this.#options;
    const lease = catalogue.lease(type, client, "all");
    this.#leases.get(type.typeUrl)?.end();
    this.#leases.set(type.typeUrl, lease);
    // The protocol type hides the owners of a resource; our generators made these resources.
    return (lease.target ?? []).flatMap((set) => [...set] as Resource[]);
  }
}

function idOf({ kind, namespace, name }: Config): ConfigId {
  return configId(kind, namespace, name);
}
