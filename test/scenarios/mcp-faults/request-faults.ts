import type { RequestResources, Resources } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { McpSeams } from "../../../src/testing/mcp/mcp-seams.ts";

type Rewrite = (request: RequestResources) => readonly RequestResources[];

export function everythingIsAck(): Rewrite {
  return (request) => {
    const heard = { ...request, incremental: true };
    delete heard.errorDetail;
    return [heard];
  };
}

/** Every fifth acknowledgement is heard as a question, too. */
export function doubtful(): Rewrite {
  let count = 0;
  return (request) => {
    if (request.responseNonce === "" || request.errorDetail !== undefined) return [request];
    count += 1;
    return count % 5 === 0 ? [request, { ...request, responseNonce: "" }] : [request];
  };
}

/** A rewriting of requests that knows what was pushed last on its stream. */
function knowing(rewrite: (request: RequestResources, open: string | undefined) => RequestResources): McpSeams {
  let open = new Map<string, string>();
  return {
    pushes: () => {
      open = new Map();
      const own = open;
      return (message: Resources) => {
        own.set(message.collection, message.nonce);
        return [message];
      };
    },
    requests: () => {
      const own = open;
      return (request) => [rewrite(request, own.get(request.collection))];
    },
  };
}

/** As in every release of Istio. */
export const emptyNonceIsAck: McpSeams = knowing((request, open) =>
  request.responseNonce === "" && open !== undefined ? { ...request, responseNonce: open, incremental: true } : request,
);

export const anyNonce: McpSeams = knowing((request, open) =>
  request.responseNonce !== "" && open !== undefined ? { ...request, responseNonce: open } : request,
);

/** The first push to a sink that comes back says nothing. */
export const heldMeansAll: McpSeams = {
  requests: () => (request) => [request],
  pushes: () => {
    const seen = new Set<string>();
    return (message) => {
      const resumed = message.incremental && !seen.has(message.collection);
      seen.add(message.collection);
      return [resumed ? { ...message, resources: [], removedResources: [] } : message];
    };
  },
};
