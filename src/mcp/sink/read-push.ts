import { fromBinary } from "@bufbuild/protobuf";
import { type Resources, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { type Config, configKey } from "../../config/config.ts";
import type { McpCollection } from "../collections.ts";
import { EnvelopeError } from "../envelope/envelope-error.ts";
import { openEnvelope } from "../envelope/open-envelope.ts";
import { readResourceName } from "../envelope/resource-name.ts";
import type { RejectedResource } from "../mcp-observer.ts";

/** The opened resources of one message. */
export interface ReadPush {
  /** By key. Of two resources with one name, the later one counts. */
  readonly objects: ReadonlyMap<string, Config>;
  /** The versions of these objects, by wire name. */
  readonly versions: ReadonlyMap<string, string>;
  readonly removed: readonly string[];
  /** The unreadable resources. */
  readonly rejected: readonly RejectedResource[];
}

/** Throws on bytes that are no push. */
export function readResources(bytes: Uint8Array): Resources {
  return fromBinary(ResourcesSchema, bytes);
}

export function readPush(message: Resources, collection: McpCollection, sourceName: string): ReadPush {
  const objects = new Map<string, Config>();
  const versions = new Map<string, string>();
  const rejected: RejectedResource[] = [];
  for (const resource of message.resources) {
    try {
      const config = openEnvelope(resource, collection, { sourceName, age: "galley" });
      objects.set(configKey(config), config);
      if (resource.metadata !== undefined) versions.set(resource.metadata.name, resource.metadata.version);
    } catch (thrown) {
      if (!(thrown instanceof EnvelopeError)) throw thrown;
      rejected.push({ name: thrown.resource, reason: thrown.reason });
    }
  }
  const removed = message.incremental
    ? message.removedResources.flatMap((name) => keyForWireName(name, collection))
    : [];
  return { objects, versions, removed, rejected };
}

/** The key of a wire name. Empty if the name is invalid. */
export function keyForWireName(wireName: string, collection: McpCollection): readonly string[] {
  const id = readResourceName(wireName, collection);
  return id === undefined ? [] : [configKey(id)];
}
