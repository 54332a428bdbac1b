import type { PooledResource, ResourcePool } from "./resource-pool.ts";
import { eachField } from "./resource-pool.ts";
import { type FleetResourceType, resourceTypeOf } from "./fleet-resource-type.ts";

export type StreamMode = "sotw" | "delta";

/** One response, in SotW or delta. */
export interface DiscoveryResponse {
  readonly type: FleetResourceType;
  readonly nonce: string;
  readonly version: string;
  readonly resources: readonly PooledResource[];
  /** Removed names. Only delta has them. */
  readonly removed: readonly string[];
  readonly bytes: number;
}

/** The field numbers of the response messages in both protocols. */
const fields = {
  sotw: { version: 1, resources: 2, typeUrl: 4, nonce: 5, removed: undefined },
  delta: { version: 1, resources: 2, typeUrl: 4, nonce: 5, removed: 6 },
} as const;

/** Reads a response without decoding resources that the pool already has. Throws for bytes that are no response. */
export function readResponse(mode: StreamMode, bytes: Uint8Array, pool: ResourcePool): DiscoveryResponse | undefined {
  const at = fields[mode];
  const texts = new Map<number, string>();
  const entries: Uint8Array[] = [];
  const removed: string[] = [];
  eachField(bytes, (field, reader) => {
    if (field === at.resources) entries.push(reader.bytes());
    else if (field === at.removed) removed.push(reader.string());
    else if (field === at.version || field === at.typeUrl || field === at.nonce) texts.set(field, reader.string());
    else return false;
    return true;
  });
  const type = resourceTypeOf(texts.get(at.typeUrl) ?? "");
  if (type === undefined) return undefined;
  const form = mode === "sotw" ? "any" : "envelope";
  return {
    type,
    nonce: texts.get(at.nonce) ?? "",
    version: texts.get(at.version) ?? "",
    resources: entries.map((entry) => pool.read(type, form, entry)),
    removed,
    bytes: bytes.length,
  };
}
