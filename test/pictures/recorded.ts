import { fromBinary } from "@bufbuild/protobuf";
import {
  DiscoveryRequestSchema,
  DiscoveryResponseSchema,
  type DiscoveryRequest,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { drawSequence, type SequenceStep } from "../../site/picture/sequence.ts";
import type { GrpcStream } from "../../src/lib/grpc/grpc-stream.ts";
import { ToyControlPlane, toyEnvoy } from "../../src/testing/envoy/toy-control-plane.ts";
import { readToy, type ToyMesh } from "../../src/testing/envoy/toy-mesh.ts";
import type { AdsServer } from "../../src/testing/envoy/model-stream.ts";
import type { EnvoyModel } from "../../src/testing/envoy/envoy-model.ts";
import { typeNames } from "./type-names.ts";

const client = 0;
const server = 1;

/** The messages between a model of Envoy and a real discovery server, in state of the world. */
class Recorder implements AdsServer {
  readonly steps: SequenceStep[] = [];
  readonly #server: AdsServer;
  /** Nonces that the client has answered. A later request with the same nonce asks for other names. */
  readonly #answered = new Set([""]);

  constructor(real: AdsServer) {
    this.#server = real;
  }

  note(text: string): void {
    this.steps.push({ type: "note", over: [server], lines: [text] });
  }

  serve(stream: GrpcStream, kind: Parameters<AdsServer["serve"]>[1]): void {
    const heard = (request: DiscoveryRequest) => {
      const isAnswer = !this.#answered.has(request.responseNonce);
      this.#answered.add(request.responseNonce);
      return requestText(request, isAnswer);
    };
    const record = (from: number, to: number, text: string) => this.steps.push({ type: "message", from, to, text });
    this.#server.serve(
      {
        peer: stream.peer,
        get closed() {
          return stream.closed;
        },
        get queued() {
          return stream.queued;
        },
        attach: (handler) =>
          stream.attach({
            onMessage(bytes) {
              record(client, server, heard(fromBinary(DiscoveryRequestSchema, bytes)));
              handler.onMessage(bytes);
            },
            onFlushed: () => handler.onFlushed(),
            onClose: (reason) => handler.onClose(reason),
          }),
        send(prefix, segments) {
          record(server, client, responseText(Buffer.concat([prefix, ...segments])));
          stream.send(prefix, segments);
        },
        end: (status, message) => stream.end(status, message),
      },
      kind,
    );
  }
}

function requestText(
  { typeUrl, responseNonce, errorDetail, resourceNames }: DiscoveryRequest,
  isAnswer: boolean,
): string {
  const type = typeNames.get(typeUrl) ?? typeUrl;
  if (isAnswer) return `${type} ${errorDetail === undefined ? "ACK" : "NACK"} ${responseNonce}`;
  return resourceNames.length === 0 ? `${type} request` : `${type} request: ${resourceNames.join(", ")}`;
}

function responseText(bytes: Uint8Array): string {
  const { typeUrl, nonce, resources } = fromBinary(DiscoveryResponseSchema, bytes);
  const names = resources.map(({ value }) => {
    const { name, content } = readToy(typeUrl, value);
    return content.poison === undefined ? name : `${name} (broken)`;
  });
  return `${typeNames.get(typeUrl)} ${nonce}: ${names.join(", ") || "nothing"}`;
}

type Story = (plane: ToyControlPlane, envoy: EnvoyModel, recorder: Recorder) => Promise<void>;

/** The mesh of all stories: a route `r` to the cluster `v1`. */
const mesh: ToyMesh = {
  clusters: new Map([["v1", 1]]),
  endpoints: new Map([["v1", 1]]),
  routes: new Map([["r", ["v1"]]]),
};

async function recorded(title: string, story: Story): Promise<string> {
  const plane = new ToyControlPlane(mesh);
  const recorder = new Recorder(plane.server);
  const envoy = toyEnvoy("sotw");
  envoy.connect(recorder);
  await plane.settle(envoy);
  await story(plane, envoy, recorder);
  return drawSequence({ title, participants: ["Envoy", "Binnacle"], steps: recorder.steps });
}

/** A proxy starts. */
export function startPicture(): Promise<string> {
  return recorded("The first messages of a proxy: clusters, endpoints, listeners, routes", () => Promise.resolve());
}

/** One edit adds the cluster v2, moves the route to it, and removes v1. */
export function changePicture(): Promise<string> {
  return recorded(
    "A change that replaces a cluster: additions first, removals last",
    async (plane, envoy, recorder) => {
      recorder.steps.length = 0;
      recorder.note("one edit: v2 instead of v1");
      plane.edit({
        clusters: new Map([["v2", 1]]),
        endpoints: new Map([["v2", 1]]),
        routes: new Map([["r", ["v2"]]]),
      });
      await plane.settle(envoy);
    },
  );
}

/** The proxy rejects a route, and gets the next change nevertheless. */
export function rejectionPicture(): Promise<string> {
  return recorded("A rejected route, and a change after it", async (plane, envoy, recorder) => {
    recorder.steps.length = 0;
    recorder.note("an edit breaks the route r");
    plane.edit({ routes: new Map([["r", ["v1", "v1"]]]), poison: new Map([["RDS r", "inapplicable"]]) });
    await plane.settle(envoy);
    recorder.note("an edit of another type: it does not wait for r");
    plane.edit({ endpoints: new Map([["v1", 2]]) });
    await plane.settle(envoy);
    recorder.note("an edit mends r");
    plane.edit({ routes: new Map([["r", ["v1"]]]), poison: new Map() });
    await plane.settle(envoy);
  });
}
