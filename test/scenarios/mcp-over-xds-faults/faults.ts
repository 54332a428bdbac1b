import { create } from "@bufbuild/protobuf";
import {
  type DeltaDiscoveryRequest,
  type DeltaDiscoveryResponse,
  DeltaDiscoveryResponseSchema,
  type DiscoveryRequest,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "../../../gen/envoy/service/discovery/v3/discovery_pb.js";
import type { Config } from "../../../src/config/config.ts";
import type { ConfigSeams } from "../../../src/testing/mcp-over-xds/config-seams.ts";

/** A plausible mistake, which others have made, and the promise that it breaks. */
export interface ConfigFault {
  readonly name: string;
  readonly breaks: string;
  readonly seams: ConfigSeams;
}

/** Acts like a server that knows only Envoys: every request with a nonce is an ACK. */
function nonceMeansAck() {
  const answered = new Set<string>();
  return (request: DiscoveryRequest): readonly DiscoveryRequest[] => {
    if (request.responseNonce === "") answered.add(request.typeUrl);
    return answered.has(request.typeUrl) ? [request] : [];
  };
}

/** Sends a large response in two halves. */
function halves() {
  return (response: DiscoveryResponse): readonly DiscoveryResponse[] => {
    const { resources } = response;
    if (resources.length < 2) return [response];
    const middle = Math.ceil(resources.length / 2);
    return [resources.slice(0, middle), resources.slice(middle)].map((part) =>
      create(DiscoveryResponseSchema, { ...response, resources: part }),
    );
  };
}

function emptyUnsent() {
  return (response: DiscoveryResponse): readonly DiscoveryResponse[] =>
    response.resources.length === 0 ? [] : [response];
}

function otherUrl() {
  return (response: DiscoveryResponse): readonly DiscoveryResponse[] => [
    create(DiscoveryResponseSchema, { ...response, typeUrl: response.typeUrl.replace("/v1/", "/v1alpha3/") }),
  ];
}

function noRemovals() {
  return (response: DeltaDiscoveryResponse): readonly DeltaDiscoveryResponse[] => [
    create(DeltaDiscoveryResponseSchema, { ...response, removedResources: [] }),
  ];
}

/** Ignores the resources that a client holds: sends everything, and never reports resources removed meanwhile. */
function heldIgnored() {
  return (request: DeltaDiscoveryRequest): readonly DeltaDiscoveryRequest[] => [
    { ...request, initialResourceVersions: {} },
  ];
}

/** Treats a client that holds something as one that holds everything. */
function heldMeansAll() {
  const resumed = new Set<string>();
  const requests = (request: DeltaDiscoveryRequest): readonly DeltaDiscoveryRequest[] => {
    if (Object.keys(request.initialResourceVersions).length > 0) resumed.add(request.typeUrl);
    return [request];
  };
  const responses = (response: DeltaDiscoveryResponse): readonly DeltaDiscoveryResponse[] =>
    resumed.delete(response.typeUrl)
      ? [create(DeltaDiscoveryResponseSchema, { ...response, resources: [], removedResources: [] })]
      : [response];
  return { requests, responses };
}

function everyThird(): () => boolean {
  let count = 0;
  return () => ++count % 3 === 0;
}

function sameVersion(config: Config): Config {
  return { ...config, version: "1" };
}

function newVersionEachTime(): (config: Config) => Config {
  let count = 0;
  return (config) => ({ ...config, version: `${config.version}-${++count}` });
}

function twice() {
  return (response: DiscoveryResponse): readonly DiscoveryResponse[] => [response, response];
}

function resuming(): ConfigSeams {
  let both = heldMeansAll();
  return {
    deltaRequests: () => {
      both = heldMeansAll();
      return both.requests;
    },
    delta: () => (response) => both.responses(response),
  };
}

export const configFaults: readonly ConfigFault[] = [
  { name: "every request with a nonce is an ACK", breaks: "truth", seams: { sotwRequests: nonceMeansAck } },
  { name: "a response is sent in two halves", breaks: "truth", seams: { sotw: halves } },
  { name: "an empty response is not sent", breaks: "truth", seams: { sotw: emptyUnsent } },
  { name: "the response has another API version of the type", breaks: "truth", seams: { sotw: otherUrl } },
  { name: "a response is sent twice", breaks: "one at a time", seams: { sotw: twice } },
  { name: "deltas omit removals", breaks: "truth", seams: { delta: noRemovals } },
  { name: "initial resource versions are ignored", breaks: "truth", seams: { deltaRequests: heldIgnored } },
  { name: "a client with some resources counts as complete", breaks: "truth", seams: resuming() },
  { name: "most changes are missed", breaks: "truth", seams: { hears: everyThird() } },
  { name: "versions stay when the content changes", breaks: "truth", seams: { objects: sameVersion } },
  { name: "versions change with every process", breaks: "rest", seams: { objects: newVersionEachTime() } },
];
