import { clone, create } from "@bufbuild/protobuf";
import {
  type DeltaDiscoveryRequest,
  type DeltaDiscoveryResponse,
  type DiscoveryRequest,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
  type Resource,
  ResourceSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { fenceName } from "./subject.ts";

/** Tampers with a message in transit: changes, multiplies or drops it. `memory` belongs to the stream. */
type Tamper<Message> = (message: Message, memory: Memory) => readonly Message[];

export interface Memory {
  readonly names: Set<string>;
  readonly resources: Map<string, Resource>;
  /** How many responses of a type the stream has seen. */
  readonly responses: Map<string, number>;
}

/** A server that breaks one promise of the protocol. */
export interface ServerFault {
  readonly name: string;
  readonly sotw?: { readonly request?: Tamper<DiscoveryRequest>; readonly response?: Tamper<DiscoveryResponse> };
  readonly delta?: {
    readonly request?: Tamper<DeltaDiscoveryRequest>;
    readonly response?: Tamper<DeltaDiscoveryResponse>;
  };
  /** The server receives an ACK for everything it sends, at once. */
  readonly acknowledges?: true;
}

/** Changes a message in place and passes it on. */
function changing<Message>(change: (message: Message, memory: Memory) => void): Tamper<Message> {
  return (message, memory) => {
    change(message, memory);
    return [message];
  };
}

const isClusters = ({ typeUrl }: { readonly typeUrl: string }) => typeUrl.endsWith(".Cluster");

export const faults: readonly ServerFault[] = [
  {
    name: "the second answer to a type is given twice",
    sotw: {
      response: (response, { responses }) => {
        const again = clone(DiscoveryResponseSchema, response);
        again.nonce += "'";
        return responses.get(response.typeUrl) === 2 ? [response, again] : [response];
      },
    },
  },
  {
    name: "responses have no nonce",
    sotw: {
      response: changing((response) => {
        response.nonce = "";
      }),
    },
  },
  {
    name: "all versions are the same",
    sotw: {
      response: changing((response) => {
        response.versionInfo = "v";
      }),
    },
  },
  {
    name: "one resource is missing from a full response",
    sotw: {
      response: changing((response) => {
        if (isClusters(response)) response.resources.shift();
      }),
    },
  },
  {
    name: "one answer is cut in two",
    sotw: {
      response: (response) => {
        if (response.resources.length < 2) return [response];
        const rest = clone(DiscoveryResponseSchema, response);
        rest.nonce += "'";
        rest.resources.shift();
        response.resources.splice(1);
        return [response, rest];
      },
    },
  },
  {
    name: "unsubscribed names stay subscribed",
    sotw: {
      request: changing((request, { names }) => {
        for (const name of request.resourceNames) names.add(name);
        request.resourceNames = [...names];
      }),
    },
  },
  {
    name: "every request counts as the first one",
    sotw: {
      request: changing((request) => {
        request.responseNonce = "";
      }),
    },
  },
  {
    name: "acknowledgements are lost",
    sotw: { request: (request) => (request.responseNonce === "" ? [request] : []) },
  },
  {
    name: "a changed node is accepted",
    sotw: {
      request: changing((request, { names }) => {
        if (names.has("introduced")) delete request.node;
        names.add("introduced");
      }),
    },
  },
  {
    name: "responses are sent before the last one is answered",
    acknowledges: true,
  },
  {
    name: "everything is sent with every change",
    delta: {
      response: changing((response, { resources }) => {
        for (const resource of response.resources) resources.set(`${response.typeUrl} ${resource.name}`, resource);
        const own = [...resources].filter(([key]) => key.startsWith(response.typeUrl));
        response.resources = own.map(([, resource]) => resource);
      }),
    },
  },
  {
    name: "removals are not sent",
    delta: {
      response: changing((response) => {
        response.removedResources = [];
      }),
    },
  },
  {
    name: "removed resources are sent as present",
    delta: {
      response: changing((response) => {
        const empty = response.removedResources.map((name) => create(ResourceSchema, { name, version: "gone" }));
        response.resources.push(...empty);
      }),
    },
  },
  {
    name: "unsubscribed names are not forgotten",
    delta: {
      request: changing((request) => {
        request.resourceNamesUnsubscribe = [];
      }),
    },
  },
  {
    name: "initial resource versions are ignored",
    delta: {
      request: changing((request) => {
        request.initialResourceVersions = {};
      }),
    },
  },
  {
    name: "a repeated subscription is not answered",
    delta: {
      request: changing((request, { names }) => {
        const fresh = request.resourceNamesSubscribe.filter((name) => name === fenceName || !names.has(name));
        for (const name of request.resourceNamesSubscribe) names.add(name);
        request.resourceNamesSubscribe = fresh;
      }),
    },
  },
  {
    name: "endpoints do not follow their clusters",
    delta: {
      response: (response, { responses }) => {
        const isRepeat = response.typeUrl.endsWith("LoadAssignment") && (responses.get(response.typeUrl) ?? 0) > 2;
        return isRepeat && !response.resources.some(({ name }) => name === fenceName) ? [] : [response];
      },
    },
  },
];
