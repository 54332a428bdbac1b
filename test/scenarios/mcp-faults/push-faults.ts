import { create } from "@bufbuild/protobuf";
import { type RequestResources, type Resources, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { McpSeams } from "../../../src/testing/mcp/mcp-seams.ts";

type Rewrite = (message: Resources) => readonly Resources[];

export function noRemovals(): Rewrite {
  return (message) => [create(ResourcesSchema, { ...message, removedResources: [] })];
}

export function updatesForgotten(): Rewrite {
  let count = 0;
  return (message) => {
    count += 1;
    const resources = message.incremental && count % 2 === 0 ? message.resources.slice(1) : message.resources;
    return [create(ResourcesSchema, { ...message, resources })];
  };
}

/**
 * The first push is a difference from nothing, as in Istio 1.3 to 1.5, from a source that claims to know what the sink
 * had. Without that claim a sink of ours is not misled.
 */
export function pretendsToResume(): Rewrite {
  const seen = new Set<string>();
  return (message) => {
    const first = !seen.has(message.collection);
    seen.add(message.collection);
    return [create(ResourcesSchema, first ? { ...message, incremental: true, resumed: true } : message)];
  };
}

export function emptyUnsent(): Rewrite {
  return (message) => (message.resources.length + message.removedResources.length === 0 ? [] : [message]);
}

export function twice(): Rewrite {
  return (message) => [message, message];
}

export function repeating(): Rewrite {
  const counts = new Map<string, number>();
  return (message) => {
    const count = (counts.get(message.collection) ?? 0) + 1;
    counts.set(message.collection, count);
    return [create(ResourcesSchema, { ...message, nonce: String(count) })];
  };
}

/** A NACK is heard as the question for everything. */
export const secondTime: McpSeams = {
  requests: () => (request: RequestResources) =>
    request.errorDetail === undefined ? [request] : [{ ...request, responseNonce: "" }],
};
