import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { DiscoveryRequestSchema, DiscoveryResponse } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { type Resource, ResourceSchema } from "#gen/istio/mcp/v1alpha1/resource_pb.js";

const envelopeType = "type.googleapis.com/istio.mcp.v1alpha1.Resource";
const meshConfigType = "core/v1alpha1/MeshConfig";

type Request = Exclude<MessageInitShape<typeof DiscoveryRequestSchema>, { $typeName: string }>;

/**
 * A real istiod as a client of MCP over xDS, as far as recordings show. It deletes objects that a response lacks or
 * that it cannot read. It ignores objects whose version it already holds. It keeps to its revision and qualifies no
 * host. It never sends a NACK, and does not acknowledge the mesh configuration.
 */
export class IstiodStore {
  readonly #revision: string;
  readonly #types = new Map<string, Map<string, Resource>>();
  /** The number of writes. In a real istiod, each write causes a push to all proxies. */
  writes = 0;

  constructor(revision = "default") {
    this.#revision = revision;
  }

  /** True when every type in `asked` has a response. */
  isSynced(asked: readonly string[]): boolean {
    return asked.every((typeUrl) => this.#types.has(typeUrl) || typeUrl === meshConfigType);
  }

  /** The objects it holds, by `type name`. */
  get objects(): ReadonlyMap<string, Resource> {
    const named = [...this.#types].flatMap(([typeUrl, objects]) =>
      Array.from(objects, ([name, object]) => [`${typeUrl} ${name}`, object] as const),
    );
    return new Map(named);
  }

  /** Handles a response. Returns the answer, if there is one. */
  take({ typeUrl, versionInfo, nonce: responseNonce, resources }: DiscoveryResponse): Request | undefined {
    if (typeUrl === meshConfigType && resources.length > 0) return undefined;
    const held = this.#types.get(typeUrl) ?? new Map<string, Resource>();
    this.#types.set(typeUrl, held);
    const came = new Map(resources.flatMap((any) => this.#open(any)));
    for (const name of held.keys()) if (!came.has(name)) held.delete(name);
    for (const [name, object] of came) this.#write(held, name, object);
    return { typeUrl, versionInfo, responseNonce };
  }

  #open({ typeUrl, value }: DiscoveryResponse["resources"][number]): readonly (readonly [string, Resource])[] {
    if (typeUrl !== envelopeType) return [];
    const object = create(ResourceSchema, fromBinary(ResourceSchema, value));
    const { name = "", labels = {} } = object.metadata ?? {};
    const isOurs = [undefined, this.#revision].includes(labels["istio.io/rev"]);
    const isReadable = object.body?.typeUrl.startsWith("type.googleapis.com/istio.") === true;
    return name.split("/").length === 2 && isOurs && isReadable ? [[name, object]] : [];
  }

  #write(held: Map<string, Resource>, name: string, object: Resource): void {
    const before = held.get(name)?.metadata?.version;
    const { version = "" } = object.metadata ?? {};
    if (before !== undefined && version !== "" && before === version) return;
    this.writes++;
    held.set(name, object);
  }
}
