import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as Status,
} from "#gen/grpc/health/v1/health_pb.js";
import { MeshError } from "../../lib/errors.ts";
import type { GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { MethodTables } from "../server/method.ts";

/**
 * gRPC health checking: one state for the server and all its services. An unknown service is NOT_FOUND for Check. It is
 * SERVICE_UNKNOWN for Watch, which would report the service if it appeared.
 */
export class HealthService {
  readonly #services: ReadonlySet<string>;
  readonly #watchers = new Map<GrpcStream, Status>();
  #serving = false;

  /** `services` are full names. The empty name, for the whole server, is always known. */
  constructor(services: Iterable<string>) {
    this.#services = new Set(["", ...services]);
  }

  /** Notifies every watcher whose state changes. */
  setServing(serving: boolean): void {
    this.#serving = serving;
    for (const [stream, told] of this.#watchers) if (told !== Status.SERVICE_UNKNOWN) this.#tell(stream, this.#status);
  }

  get tables(): MethodTables {
    const path = `/${Health.typeName}`;
    return {
      unary: new Map([[`${path}/Check`, (request: Uint8Array) => this.#check(request)]]),
      serverStreaming: new Map([[`${path}/Watch`, (stream: GrpcStream) => this.#watch(stream)]]),
    };
  }

  get #status(): Status {
    return this.#serving ? Status.SERVING : Status.NOT_SERVING;
  }

  #check(request: Uint8Array): Uint8Array {
    const { service } = fromBinary(HealthCheckRequestSchema, request);
    if (!this.#services.has(service)) throw new MeshError("not-found", `unknown service ${service}`);
    return encode(this.#status);
  }

  #watch(stream: GrpcStream): void {
    stream.attach({
      onMessage: (bytes) => {
        const { service } = fromBinary(HealthCheckRequestSchema, bytes);
        this.#tell(stream, this.#services.has(service) ? this.#status : Status.SERVICE_UNKNOWN);
      },
      onFlushed: () => undefined,
      onClose: () => this.#watchers.delete(stream),
    });
  }

  #tell(stream: GrpcStream, status: Status): void {
    if (this.#watchers.get(stream) === status) return;
    this.#watchers.set(stream, status);
    stream.send(encode(status), []);
  }
}

function encode(status: Status): Uint8Array {
  return toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status }));
}
