import { once } from "node:events";
import { openSync } from "node:fs";
import { connect } from "node:http2";
import { create, toBinary } from "@bufbuild/protobuf";
import { expect, onTestFinished, test } from "vitest";
import { DiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { typeUrls } from "../../src/fleet/fleet-resource-type.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { grpcFrame } from "./support/abuse/grpc-call.ts";
import { binnacle } from "./support/binnacle/command.ts";
import type { Child } from "./support/child.ts";
import { gatewayNode } from "./support/envoy/bootstrap.ts";
import { freePort } from "./support/free-port.ts";
import { get } from "./support/http.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { metric } from "./support/metrics.ts";
import { UnreadPipe } from "./support/unread-pipe.ts";
import { SotwClient, sotw } from "./support/xds/ads-client.ts";
import { serviceYaml } from "./support/yaml.ts";

/** More lines than the log keeps for a reader. Each says what a client sent, 256 characters of it. */
const tooMany = 4_000;
/** More than a pipe holds. */
const some = 400;

interface Served {
  readonly child: Child;
  readonly ports: { readonly xds: number; readonly http: number; readonly metrics: number };
}

/** A server with these outputs. They may be unable to say when it is ready, so its page is asked. */
async function serve(outputs: { readonly stdout?: number; readonly stderr: number }): Promise<Served> {
  const mesh = new MeshDir({ "ratings.yaml": serviceYaml({ name: "ratings", port: 9080, endpoints: [{ port: 9 }] }) });
  const ports = { xds: await freePort(), http: await freePort(), metrics: await freePort() };
  const addresses = Object.entries(ports).flatMap(([name, port]) => [`--${name}`, `127.0.0.1:${port}`]);
  const child = binnacle(["serve", mesh.path, "--ctrlz", "off", ...addresses], outputs);
  onTestFinished(async () => {
    await child.stop();
    mesh[Symbol.dispose]();
  });
  const isReady = async () => (await get(ports.http, "/ready").catch(() => undefined))?.status === 200;
  await eventually("the server is ready", isReady, { seconds: 60 });
  return { child, ports };
}

/** Requests whose nodes are refused, on one connection: each is a line in the log. */
async function flood(port: number, requests: number, idLength = 300): Promise<void> {
  const session = connect(`http://127.0.0.1:${port}`).on("error", () => undefined);
  await once(session, "connect");
  const request = create(DiscoveryRequestSchema, { node: { id: "x".repeat(idLength) }, typeUrl: typeUrls.CDS });
  const bytes = grpcFrame(toBinary(DiscoveryRequestSchema, request));
  const headers = { ":method": "POST", ":path": sotw.path, "content-type": "application/grpc" };
  const send = async () => {
    const stream = session.request(headers).on("error", () => undefined);
    stream.resume().end(bytes);
    await once(stream, "close");
  };
  const atOnce = Math.min(requests, 50);
  for (let sent = 0; sent < requests; sent += atOnce) await Promise.all(Array.from({ length: atOnce }, send));
  session.destroy();
}

async function isServed({ xds }: Served["ports"]): Promise<boolean> {
  using client = new SotwClient(xds, gatewayNode);
  client.subscribe(typeUrls.CDS);
  return (await client.next(typeUrls.CDS)).resources.length > 0;
}

test("a server with its outputs on a full disk serves and stops normally", async () => {
  const full = openSync("/dev/full", "w");
  const { child, ports } = await serve({ stdout: full, stderr: full });
  await flood(ports.xds, some);
  expect(await isServed(ports)).toBe(true);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(1);
});

test.each([["version"], ["help"]])("a command with its output on a full disk fails, %s", async (...words) => {
  const child = binnacle(words, { stdout: openSync("/dev/full", "w") });
  await child.logged("stdout cannot be written: ENOSPC");
  expect(await child.exited).toBe(1);
});

test("a server with an unread log serves, stops normally, and counts dropped lines", async () => {
  using pipe = new UnreadPipe();
  const { child, ports } = await serve({ stderr: pipe.writer });
  const dropped = () => metric(ports.metrics, "binnacle_log_dropped_lines_total");
  await flood(ports.xds, 1, 3_000_000);
  await flood(ports.xds, tooMany);
  expect(await dropped()).toBeGreaterThan(0);
  expect(await isServed(ports)).toBe(true);

  let longest = 0;
  for await (const line of pipe.lines()) {
    longest = Math.max(longest, line.length);
    if (!line.includes('"log lines dropped"')) continue;
    expect(JSON.parse(line)).toMatchObject({ level: "warn", dropped: await dropped() });
    break;
  }
  expect(longest).toBeLessThan(1_000);

  await flood(ports.xds, some);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});
