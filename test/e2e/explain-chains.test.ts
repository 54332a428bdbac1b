import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { createRegistry, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Listener, ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { HttpInspectorSchema } from "#gen/envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.js";
import { TlsInspectorSchema } from "#gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.js";
import { ConfigSchema as DirectResponseSchema } from "#gen/envoy/extensions/filters/network/direct_response/v3/config_pb.js";
import { explain } from "../../src/explain/explain.ts";
import type { SimulatedRequest } from "../../src/explain/simulated-request.ts";
import { socketOf } from "../../src/explain/socket-address.ts";
import { assert } from "../../src/lib/assert.ts";
import { type ChainInit, listenerOn, socketAt, typed } from "../../src/testing/envoy/toy-envoy-config.ts";
import { matchesArbitrary } from "../../src/testing/random/chain-arbitrary.ts";
import { runs, seed } from "../../src/testing/random/seed.ts";
import { startEnvoyWith } from "./support/envoy/envoy.ts";
import { freePort } from "./support/free-port.ts";
import { describeWith } from "./support/peers.ts";

const describeWithEnvoy = await describeWith("envoy");
const registry = createRegistry(DirectResponseSchema, HttpInspectorSchema, TlsInspectorSchema);
const [firstAddress, secondAddress] = ["127.0.0.1", "127.1.0.1"];

/** A listener with random filter chains and inspectors. Each chain answers whatever comes with its own name. */
async function randomListener(index: number): Promise<Listener> {
  const port = await freePort();
  const settings = fc.record({
    matches: matchesArbitrary([port, 1]),
    inspectors: fc.subarray([typed(TlsInspectorSchema), typed(HttpInspectorSchema)]),
    fallback: fc.boolean(),
  });
  const [sample] = fc.sample(settings, { seed: seed + index, numRuns: 1 });
  assert(sample !== undefined, "one was asked for");
  const { matches, inspectors, fallback } = sample;
  const filterChains = matches.map((filterChainMatch, place) => ({ ...named(`chain ${place}`), filterChainMatch }));
  return listenerOn(firstAddress, port, {
    additionalAddresses: [{ address: socketAt(secondAddress, port) }],
    filterChains,
    listenerFilters: inspectors,
    ...(fallback && { defaultFilterChain: named("default") }),
  });
}

function named(name: string): ChainInit {
  const response = { specifier: { case: "inlineString" as const, value: name } };
  return { name, filters: [typed(DirectResponseSchema, { response })] };
}

type Connection = Pick<SimulatedRequest, "protocol" | "sni" | "alpn">;

const connections: readonly Connection[] = [
  { protocol: "tcp" },
  { protocol: "http" },
  { protocol: "http2" },
  ...["", "a.b.c", "x.b.c", "x.c", "c"].flatMap((sni) => [
    { protocol: "tls" as const, sni },
    { protocol: "tls" as const, sni, alpn: ["http/1.1", "h2"] },
    { protocol: "tls" as const, sni, alpn: ["x"] },
  ]),
];

/** The first bytes of such a client. */
async function firstBytes({ protocol = "http", sni = "", alpn = [] }: Connection): Promise<Buffer> {
  if (protocol === "http") return Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
  if (protocol === "http2") return Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  if (protocol === "tcp") return Buffer.from([0, 1, 2, 3, 13, 10, 13, 10]);
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const socket = new Duplex({ read() {}, write: (chunk: Buffer) => resolve(chunk) });
  connectTls({ socket, servername: sni, ALPNProtocols: [...alpn] }).on("error", () => {});
  return promise;
}

/** The name of the chain that answers; empty when Envoy closes the connection. */
async function answer({ host, port }: SimulatedRequest, bytes: Buffer): Promise<string> {
  const socket = connectTcp({ host, port });
  await once(socket, "connect");
  socket.write(bytes);
  return text(socket).catch(() => "");
}

/** Every kind of client at every address of the listener. */
function requestsTo(listener: Listener): readonly SimulatedRequest[] {
  const port = socketOf(listener.address)?.port ?? 0;
  const rest = { port, path: "/", method: "GET", headers: {} };
  return [firstAddress, secondAddress].flatMap((address) =>
    connections.map((connection) => ({ ...rest, ...connection, host: address, address })),
  );
}

describeWithEnvoy("filter chains", () => {
  test("are chosen by Envoy as explain says", async () => {
    const listeners = await Promise.all(Array.from({ length: runs(20) }, (_, index) => randomListener(index)));
    const json = listeners.map((listener) => toJson(ListenerSchema, listener, { registry }));
    await using envoy = await startEnvoyWith({ static_resources: { listeners: json } });
    await envoy.waitFor(async () => (await envoy.serverInfo()).state === "LIVE");

    const surprises: object[] = [];
    for (const [index, listener] of listeners.entries()) {
      for (const request of requestsTo(listener)) {
        const { steps } = explain({ listeners: [listener], routes: [], clusters: [], endpoints: [] }, request);
        const expected = steps.find(({ type }) => type === "filter chain")?.name ?? "";
        const seen = await answer(request, await firstBytes(request));
        if (seen !== expected) surprises.push({ listener: json[index], request, expected, seen });
      }
    }
    expect(surprises).toEqual([]);
  });
});
