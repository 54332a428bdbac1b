import { promisify } from "node:util";
import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServerDuplexStream, status } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import { gatewayNode } from "../envoy/bootstrap.ts";
import { DeltaClient, delta, SotwClient, sotw } from "./ads-client.ts";
import type { AdsForm } from "./ads-stream.ts";

const CDS = "type.googleapis.com/envoy.config.cluster.v3.Cluster";

test("a SotW client sends its node once, then ACKs and NACKs as the test says", async () => {
  await using server = await startServer(sotw, (nonce) => ({ typeUrl: CDS, nonce, versionInfo: `v${nonce}` }));
  using client = new SotwClient(server.port, gatewayNode);
  client.subscribe(CDS, ["a"]);
  client.ack(await client.next(CDS));
  client.nack(await client.next(CDS), "no such filter");
  await client.next(CDS);
  expect(server.requests).toMatchObject([
    { typeUrl: CDS, resourceNames: ["a"], versionInfo: "", responseNonce: "" },
    { typeUrl: CDS, resourceNames: ["a"], versionInfo: "v1", responseNonce: "1" },
    { versionInfo: "v1", responseNonce: "2", errorDetail: { message: "no such filter" } },
  ]);
  expect(server.requests.map(({ node }) => node?.id)).toEqual([gatewayNode.id, undefined, undefined]);
  expect(client.stream.waiting(CDS)).toBe(0);
});

test("a delta client names only added and dropped subscriptions", async () => {
  await using server = await startServer(delta, (nonce) => ({ typeUrl: CDS, nonce }));
  using client = new DeltaClient(server.port, gatewayNode);
  client.subscribe(CDS, ["a", "b"], { a: "1" });
  client.ack(await client.next(CDS));
  client.unsubscribe(CDS, ["b"]);
  await client.next(CDS);
  client.nack(await client.next(CDS), "too long");
  await client.next(CDS);
  expect(server.requests).toMatchObject([
    { resourceNamesSubscribe: ["a", "b"], initialResourceVersions: { a: "1" } },
    { resourceNamesSubscribe: [], responseNonce: "1" },
    { resourceNamesUnsubscribe: ["b"], responseNonce: "" },
    { responseNonce: "3", errorDetail: { message: "too long" } },
  ]);
  expect(server.requests.map(({ node }) => node?.id)).toEqual([gatewayNode.id, undefined, undefined, undefined]);
});

test("a client learns how its stream ended", async () => {
  await using server = await startServer(sotw, () => undefined);
  using client = new SotwClient(server.port, gatewayNode);
  client.subscribe(CDS);
  expect(await client.stream.ended).toMatchObject({ code: status.INVALID_ARGUMENT, details: "bad node" });
});

/** A gRPC server that answers every request with the next nonce, or ends the stream when there is no answer. */
async function startServer<Request extends DescMessage, Response extends DescMessage>(
  { path, request, response }: AdsForm<Request, Response>,
  answer: (nonce: string) => MessageInitShape<Response> | undefined,
) {
  const requests: MessageShape<Request>[] = [];
  const server = new Server();
  const method = {
    path,
    requestStream: true,
    responseStream: true,
    requestDeserialize: (bytes: Buffer) => fromBinary(request, bytes),
    responseSerialize: (message: MessageShape<Response>) => Buffer.from(toBinary(response, message)),
    requestSerialize: unused,
    responseDeserialize: unused,
  } as const;
  const handle = (stream: ServerDuplexStream<MessageShape<Request>, MessageShape<Response>>) =>
    stream.on("data", (message: MessageShape<Request>) => {
      const reply = answer(String(requests.push(message)));
      if (reply === undefined) stream.emit("error", { code: status.INVALID_ARGUMENT, details: "bad node" });
      else stream.write(create(response, reply));
    });
  server.addService({ method }, { method: handle });
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind("127.0.0.1:0", ServerCredentials.createInsecure());
  return { requests, port, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

function unused(): never {
  throw new Error("a server does not use this");
}
