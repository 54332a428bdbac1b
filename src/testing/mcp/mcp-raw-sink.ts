import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema, type Resources, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { assert } from "../../lib/assert.ts";
import type { ResourceSourceServer } from "../../mcp/source/resource-source-server.ts";
import { type StreamEnd, streamPair, type TestClientStream } from "../stream/stream-pair.ts";

/** The content of a request beside the sink's identity. */
interface Request {
  readonly collection?: string;
  readonly responseNonce?: string;
  readonly incremental?: boolean;
  readonly initialResourceVersions?: Readonly<Record<string, string>>;
  readonly errorDetail?: { code: number; message?: string; details?: { typeUrl: string; value: Uint8Array }[] };
}

/** A sink that sends only the messages of the test. */
export class RawSink {
  readonly stream: TestClientStream;

  constructor(source: ResourceSourceServer, { trigger = false }: { readonly trigger?: boolean } = {}) {
    const { server, client } = streamPair();
    this.stream = client;
    source.serve(server, { trigger });
  }

  /** Every push that has arrived. */
  get pushes(): readonly Resources[] {
    return this.stream.received.map((bytes) => fromBinary(ResourcesSchema, bytes));
  }

  /** The newest push in short form: `collection nonce +added -removed`. */
  get told(): readonly string[] {
    return this.pushes.map(describePush);
  }

  get status(): StreamEnd | undefined {
    return this.stream.status;
  }

  say(request: Request): void {
    const message = create(RequestResourcesSchema, { sinkNode: { id: "test-node" }, ...request });
    this.stream.send(toBinary(RequestResourcesSchema, message));
  }

  subscribe(collection: string, more: Request = {}): void {
    this.say({ collection, ...more });
  }

  /** Acknowledges the newest push. */
  ack(more: Request = {}): void {
    const { collection, nonce } = this.last;
    this.say({ collection, responseNonce: nonce, ...more });
  }

  /** Rejects the newest push. */
  nack(code: number, more: Request = {}): void {
    this.ack({ errorDetail: { code, message: "no" }, ...more });
  }

  get last(): Resources {
    const last = this.pushes.at(-1);
    assert(last !== undefined, "something was pushed");
    return last;
  }
}

/** `7 full: a=1 b=2`, `8 delta: a=3 -b`: nonce, form, the resources with their content, and the removed ones. */
export function describePush({ nonce, incremental, resources, removedResources }: Resources): string {
  const came = resources.map(({ metadata }) => `${metadata?.name}=${metadata?.annotations["content"]}`);
  const gone = removedResources.map((name) => `-${name}`);
  return [`${nonce} ${incremental ? "delta" : "full"}:`, ...came, ...gone].join(" ");
}
