import { resolve } from "node:path";
import { Client, credentials } from "@grpc/grpc-js";
import { expect, test } from "vitest";
import type { NodeOnWire } from "../conformance/xds/subject.ts";
import { TestStream } from "../conformance/xds/test-stream.ts";
import { Child } from "./support/child.ts";

const example = resolve(import.meta.dirname, "../../examples/xds-library/server.ts");

/** The server accepts every client of this cluster. */
const node: NodeOnWire = {
  id: "envoy-1",
  cluster: "edge",
  metadata: {},
  wireName: (_service, name) => name,
  letter: (_service, name) => name,
  exists: () => true,
};

test("the example of the library serves a stock client, and sends only changes", async () => {
  const child = new Child(process.execPath, ["--conditions=binnacle-source", example, "127.0.0.1:0"]);
  try {
    const [, address = ""] = await child.line(/^listening on (.*)$/, { seconds: 30 });
    const client = new Client(address, credentials.createInsecure());
    const variant = { mode: "delta", aggregated: true } as const;
    const stream = new TestStream(client, node, { variant, service: "CDS", patienceMs: 20_000 });
    stream.subscribe("CDS", []);
    expect([...(await stream.next()).resources.keys()]).toEqual(["catalogue", "orders"]);
    stream.subscribe("EDS", ["catalogue", "orders"]);
    expect([...(await stream.next()).resources.keys()]).toEqual(["catalogue", "orders"]);
    child.kill("SIGUSR2");
    expect([...(await stream.next()).resources.keys()]).toEqual(["orders"]);
    stream.cancel();
    client.close();
  } finally {
    await child.stop();
  }
});
