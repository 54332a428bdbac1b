import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { createServer as createTcpServer, type Server as TcpServer } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CheckRequest,
  CheckRequestSchema,
  type CheckResponse,
  CheckResponseSchema,
} from "#gen/envoy/service/auth/v3/external_auth_pb.js";
import { listenLocally } from "../../../../src/testing/server/listen-locally.ts";

/** An authorization service. It allows requests with `x-ask: allow`, and connections from 127.0.7.0/24. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly port: number;
  /** The checks so far, as `METHOD PATH`, or the address of a connection. */
  readonly checks: readonly string[];
}

const allows = (asked: unknown) => asked === "allow";

/** Asked over HTTP: 200 allows, everything else denies. */
export async function startHttpAuthorizer(): Promise<AuthorizationServer> {
  const checks: string[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    checks.push(`${request.method} ${request.url}`);
    const isAllowed = allows(request.headers["x-ask"]);
    response.writeHead(isAllowed ? 200 : 403, {
      "x-user": String(request.headers["x-from"] ?? "nobody"),
      "x-reason": "asked",
    });
    response.end(isAllowed ? "" : "denied by the authorizer");
  });
  return listening(server, checks);
}

/** Asked over gRPC. */
export async function startGrpcAuthorizer(): Promise<AuthorizationServer> {
  const checks: string[] = [];
  const server = createHttp2Server();
  server.on("stream", (stream: ServerHttp2Stream) => {
    const parts: Buffer[] = [];
    stream.on("error", () => undefined);
    stream.on("data", (part: Buffer) => parts.push(part));
    stream.on("end", () => {
      const request = fromBinary(CheckRequestSchema, Buffer.concat(parts).subarray(5));
      checks.push(checkOf(request));
      respond(stream, answerTo(request));
    });
  });
  return listening(server, checks);
}

/** Accepts connections and ends them: a service that fails. */
export async function startFailingAuthorizer(): Promise<AuthorizationServer> {
  return listening(
    createTcpServer((socket) => socket.destroy()),
    [],
  );
}

function checkOf({ attributes }: CheckRequest): string {
  const http = attributes?.request?.http;
  return http === undefined || http.method === "" ? sourceOf(attributes) : `${http.method} ${http.path}`;
}

function sourceOf(attributes: CheckRequest["attributes"]): string {
  const address = attributes?.source?.address?.address;
  return address?.case === "socketAddress" ? address.value.address : "";
}

function answerTo({ attributes }: CheckRequest): CheckResponse {
  const http = attributes?.request?.http;
  const isRequest = http !== undefined && http.method !== "";
  const isAllowed = isRequest ? allows(http.headers["x-ask"]) : sourceOf(attributes).startsWith("127.0.7.");
  const user = { header: { key: "x-user", value: "grpc" } };
  return create(CheckResponseSchema, {
    status: { code: isAllowed ? 0 : 7 },
    httpResponse: isAllowed
      ? { case: "okResponse", value: { headers: [user] } }
      : { case: "deniedResponse", value: { body: "denied by the authorizer" } },
  });
}

function respond(stream: ServerHttp2Stream, response: CheckResponse): void {
  const body = toBinary(CheckResponseSchema, response);
  const frame = Buffer.alloc(5 + body.length);
  frame.writeUInt32BE(body.length, 1);
  frame.set(body, 5);
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
  stream.end(frame);
}

async function listening(
  server: Server | Http2Server | TcpServer,
  checks: readonly string[],
): Promise<AuthorizationServer> {
  const sessions = new Set<{ destroy(): void }>();
  server.on("connection", (socket: { destroy(): void; once(event: "close", ended: () => void): void }) => {
    sessions.add(socket);
    socket.once("close", () => sessions.delete(socket));
  });
  const port = await listenLocally(server);
  return {
    port,
    checks,
    async [Symbol.asyncDispose]() {
      for (const session of sessions) session.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
