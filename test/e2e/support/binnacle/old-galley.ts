import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { RequestResourcesSchema, ResourcesSchema } from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import type { Resource } from "#gen/istio/mcp/v1alpha1/resource_pb.js";
import { resourceSourcePath } from "../../../../src/app/mcp/mcp-paths.ts";
import { lackedBy } from "../../../../src/galley/source/mcp/istio-galley.ts";
import { GrpcStatus, type GrpcStream } from "../../../../src/lib/grpc/grpc-stream.ts";
import { mcpCollections } from "../../../../src/mcp/collections.ts";
import { RecordingLogger } from "../../../../src/testing/recording/recording-logger.ts";
import { createGrpcServer } from "../../../../src/transport/server/grpc-server.ts";

const lacked = new Set(lackedBy("istio-1.3", mcpCollections));

/** A Galley as that of Istio 1.3.6: it pushes full states, and ends the stream for a collection that it lacks. */
export class OldGalley implements AsyncDisposable {
  /** The text of each NACK that came. */
  readonly nacks: string[] = [];
  #content: Readonly<Record<string, readonly Resource[]>>;
  /** One for each stream that is open: pushes a collection as it is now. */
  readonly #pushes = new Set<(collection: string) => void>();
  #version = 0;
  readonly #server = createGrpcServer({
    address: "127.0.0.1:0",
    methods: new Map([[resourceSourcePath, (stream: GrpcStream) => this.#serve(stream)]]),
    logger: new RecordingLogger(),
  });

  private constructor(content: Readonly<Record<string, readonly Resource[]>>) {
    this.#content = content;
  }

  static async start(content: Readonly<Record<string, readonly Resource[]>>) {
    const galley = new OldGalley(content);
    return { galley, address: await galley.#server.start() };
  }

  /** A collection has other objects now. */
  replace(collection: string, resources: readonly Resource[]): void {
    this.#content = { ...this.#content, [collection]: resources };
    this.#version++;
    for (const push of this.#pushes) push(collection);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop({ graceMs: 0 });
  }

  #serve(stream: GrpcStream): void {
    let nonce = 0;
    const push = (collection: string): void => {
      const resources = [...(this.#content[collection] ?? [])];
      const message = { collection, resources, nonce: String(++nonce), systemVersionInfo: String(this.#version) };
      stream.send(toBinary(ResourcesSchema, create(ResourcesSchema, message)), []);
    };
    this.#pushes.add(push);
    stream.attach({
      onMessage: (bytes) => {
        const { collection, responseNonce, errorDetail } = fromBinary(RequestResourcesSchema, bytes);
        if (errorDetail !== undefined) this.nacks.push(errorDetail.message);
        if (responseNonce !== "") return;
        if (!lacked.has(collection)) return push(collection);
        stream.end(GrpcStatus.INVALID_ARGUMENT, `unsupported collection "${collection}"`);
      },
      onFlushed: () => undefined,
      onClose: () => void this.#pushes.delete(push),
    });
  }
}
