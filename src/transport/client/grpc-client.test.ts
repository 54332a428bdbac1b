import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { describe, expect, onTestFinished, test } from "vitest";
import { type CloseReason, GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { bytesAsIs, ECHO, startEcho, startServer } from "../../testing/stream/grpc-js-rig.ts";
import { createGrpcClient, type GrpcClientOptions } from "./grpc-client.ts";

type Call = ServerDuplexStream<Buffer, Buffer>;

/** A stock grpc-js server with one method. */
async function stockServer(serve: (call: Call) => void): Promise<string> {
  const method = { path: ECHO, requestStream: true, responseStream: true } as const;
  const codec = {
    requestSerialize: bytesAsIs,
    requestDeserialize: bytesAsIs,
    responseSerialize: bytesAsIs,
    responseDeserialize: bytesAsIs,
  };
  const server = new Server();
  const handlers: UntypedServiceImplementation = { Stream: serve };
  server.addService({ Stream: { ...method, ...codec } }, handlers);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  onTestFinished(() => server.forceShutdown());
  return `127.0.0.1:${port}`;
}

/** Opens one stream to a server and records the events of its handler. */
function open(address: string, options: Partial<GrpcClientOptions> = {}) {
  const logger = new RecordingLogger();
  // These messages are texts, which have no fields.
  const client = createGrpcClient({ address, logger, limits: { messageFields: Infinity }, ...options });
  const headers = Promise.withResolvers<Record<string, unknown>>();
  const closed = Promise.withResolvers<CloseReason>();
  const received: string[] = [];
  const stream = client.open(ECHO, (found) => headers.resolve({ ...found }));
  let arrived = Promise.withResolvers<void>();
  let flushed = 0;
  stream.attach({
    onMessage: (bytes) => {
      received.push(Buffer.from(bytes).toString());
      arrived.resolve();
      arrived = Promise.withResolvers();
    },
    onFlushed: () => {
      flushed += 1;
    },
    onClose: closed.resolve,
  });
  onTestFinished(() => stream.end(GrpcStatus.CANCELLED));
  const messages = async (count: number) => {
    while (received.length < count) await arrived.promise;
    return received;
  };
  return {
    stream,
    received,
    messages,
    headers: headers.promise,
    closed: closed.promise,
    logger,
    flushes: () => flushed,
  };
}

function say(stream: GrpcStream, text: string): void {
  stream.send(Buffer.from(text), []);
}

/** Listens, and passes each connection to `onConnection`. */
async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a stream to a stock grpc-js server", () => {
  test("carries messages both ways, whole and in order, whatever their size", async () => {
    const address = await stockServer((call) => call.on("data", (bytes: Buffer) => call.write(bytes)));
    const { stream, messages, flushes } = open(address);
    const large = "x".repeat(3 << 20);
    stream.send(Buffer.from("pre"), [Buffer.from("-a"), Buffer.from("-b")]);
    say(stream, "");
    say(stream, large);
    expect(await messages(3)).toEqual(["pre-a-b", "", large]);
    expect([stream.queued, flushes() > 0, stream.closed]).toEqual([0, true, false]);
    expect(stream.peer.address).toBe(address);
  });

  test("sends metadata, keys with several values too, and exposes the server's metadata", async () => {
    const seen = Promise.withResolvers<Metadata>();
    const address = await stockServer((call) => {
      seen.resolve(call.metadata);
      const answer = new Metadata();
      answer.set("config.source.version", "1.3.6");
      call.sendMetadata(answer);
    });
    const { headers, stream } = open(address, { metadata: { cluster: ["c1", "c2"], "config.source.version": "7" } });
    expect(stream.metadata?.("config.source.version")).toBeUndefined();
    const metadata = await seen.promise;
    expect([metadata.get("cluster"), metadata.get("config.source.version")]).toEqual([["c1, c2"], ["7"]]);
    expect(await headers).toMatchObject({ "config.source.version": "1.3.6" });
    expect(stream.metadata?.("config.source.version")).toBe("1.3.6");
  });

  test("gets the server's status, before and after messages", async () => {
    const status = { code: GrpcStatus.UNAUTHENTICATED, details: "show 100 % of yourself, größer" };
    const address = await stockServer((call) => call.emit("error", status));
    const message = status.details;
    expect(await open(address).closed).toEqual({ type: "server", status: { code: status.code, message } });

    const talking = await stockServer((call) => {
      call.write(Buffer.from("last words"));
      call.end();
    });
    const { messages, closed } = open(talking);
    expect(await messages(1)).toEqual(["last words"]);
    expect(await closed).toEqual({ type: "server", status: { code: GrpcStatus.OK, message: "OK" } });
  });

  test("half-closes with OK, which lets the server read to the end", async () => {
    const heard: string[] = [];
    const halfClosed = Promise.withResolvers<void>();
    const address = await stockServer((call) => {
      call.on("data", (bytes: Buffer) => heard.push(bytes.toString()));
      call.on("end", () => halfClosed.resolve());
    });
    const { stream, closed } = open(address);
    say(stream, "one");
    stream.end(GrpcStatus.OK);
    say(stream, "late");
    expect(await closed).toEqual({ type: "client" });
    await halfClosed.promise;
    expect(heard).toEqual(["one"]);
  });

  test("cancels with any other status", async () => {
    const cancelled = Promise.withResolvers<void>();
    const address = await stockServer((call) => {
      call.on("cancelled", () => cancelled.resolve());
      call.on("data", (bytes: Buffer) => call.write(bytes));
    });
    const { stream, messages, closed } = open(address);
    say(stream, "one");
    await messages(1);
    stream.end(GrpcStatus.INTERNAL);
    expect(await closed).toEqual({ type: "client" });
    await cancelled.promise;
  });
});

describe("a stream to our own server", () => {
  test("carries messages both ways and ends with the server's status", async () => {
    const { address, server } = await startEcho();
    const { stream, messages, closed } = open(address);
    say(stream, "one");
    expect(await messages(1)).toEqual(["one"]);
    await server.stop({ graceMs: 1_000 });
    const status = { code: GrpcStatus.UNAVAILABLE, message: "the server is shutting down" };
    expect(await closed).toEqual({ type: "server", status });
  });

  test("of an unknown method ends with UNIMPLEMENTED", async () => {
    const { address } = await startServer({});
    expect(await open(address).closed).toMatchObject({ type: "server", status: { code: GrpcStatus.UNIMPLEMENTED } });
  });

  test("gets the server's metadata before any message", async () => {
    const { address } = await startEcho({ metadata: { "config.source.version": "0.1.0", cluster: ["a", "b"] } });
    const { headers } = open(address);
    expect(await headers).toMatchObject({ "config.source.version": "0.1.0", cluster: "a, b" });
  });

  test("sends the client's metadata before any message", async () => {
    const served = Promise.withResolvers<GrpcStream>();
    const { address } = await startServer({ methods: new Map([[ECHO, served.resolve]]) });
    open(address, { metadata: { cluster: ["c1", "c2"] } });
    const stream = await served.promise;
    expect(["cluster", "zone"].map((key) => stream.metadata?.(key))).toEqual(["c1, c2", undefined]);
  });
});

describe("a stream that cannot work", () => {
  test("reports that no server listens", async () => {
    const gone = createServer().listen(0, "127.0.0.1");
    await once(gone, "listening");
    const dead = `127.0.0.1:${(gone.address() as AddressInfo).port}`;
    gone.close();
    await once(gone, "close");
    expect(await open(dead).closed).toMatchObject({ type: "broken", cause: { code: "ECONNREFUSED" } });
  });

  test("ends when the server accepts the connection but never answers", async () => {
    const sockets: Socket[] = [];
    const address = await rawServer((socket) => void sockets.push(socket.pause()));
    const { closed } = open(address, { pingIntervalMs: 5, pingTimeoutMs: 20 });
    expect(await closed).toMatchObject({ type: "broken", cause: { message: expect.stringContaining("within 20 ms") } });
    for (const socket of sockets) socket.destroy();
  });

  test("ends when its server does not read", async () => {
    const address = await stockServer((call) => void call.pause());
    const { stream, closed } = open(address, { sendTimeoutMs: 30 });
    stream.send(Buffer.alloc(8 << 20), []);
    expect(await closed).toMatchObject({
      type: "broken",
      cause: { message: expect.stringContaining("nothing of what was sent was read") },
    });
  });

  test("ends when its server dies", async () => {
    const address = await rawServer((socket) => void setImmediate(() => socket.destroy()));
    expect(await open(address).closed).toMatchObject({ type: "broken" });
  });

  test("is cancelled by a message above the limit, after a warning at half of it", async () => {
    const address = await stockServer((call) => {
      call.write(Buffer.alloc(400));
      call.write(Buffer.alloc(600));
      call.write(Buffer.alloc(1001));
    });
    const { closed, messages, logger } = open(address, { maxMessageBytes: 1000 });
    expect((await messages(2)).map(({ length }) => length)).toEqual([400, 600]);
    const message = "a message of 1001 bytes is larger than the limit of 1000 bytes";
    expect(await closed).toMatchObject({ type: "broken", cause: { message } });
    expect(logger.lines.filter(({ message: line }) => line === "messages come near the limit")).toHaveLength(1);
  });

  test("to a server that does not speak gRPC reports the server's answer", async () => {
    const page = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    const address = await rawServer((socket) => void socket.end(page));
    expect(await open(address).closed).toMatchObject({ type: "broken" });
  });

  test("is cancelled by a handler that throws, and logs the error", async () => {
    const address = await stockServer((call) => call.write(Buffer.from("x")));
    const logger = new RecordingLogger();
    const stream = createGrpcClient({ address, logger }).open(ECHO);
    const closed = Promise.withResolvers<CloseReason>();
    stream.attach({
      onMessage() {
        throw new Error("bug");
      },
      onFlushed: () => undefined,
      onClose: closed.resolve,
    });
    expect(await closed.promise).toMatchObject({ type: "broken", cause: { message: "bug" } });
    expect(logger.lines.map(({ message }) => message)).toContain("grpc stream handler failed");
  });
});

test("an invalid address is refused", () => {
  const logger = new RecordingLogger();
  for (const address of ["9901", "off", ":9901", "127.0.0.1:0"]) {
    expect(() => createGrpcClient({ address, logger })).toThrow("is not an address like 127.0.0.1:9901");
  }
});
