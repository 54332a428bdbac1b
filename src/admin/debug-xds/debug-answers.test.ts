import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ListenersConfigDumpSchema } from "#gen/envoy/admin/v3/config_dump_shared_pb.js";
import { DeltaDiscoveryResponseSchema, DiscoveryResponseSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { ClientConfigSchema, ConfigStatus } from "#gen/envoy/service/status/v3/csds_pb.js";
import { GrpcStatus, type GrpcStream } from "../../lib/grpc/grpc-stream.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { ToyControlPlane, toyEnvoy } from "../../testing/envoy/toy-control-plane.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { listenerType } from "../../xds/type-urls.ts";
import { text } from "../route.ts";
import type { Viewer } from "../viewer.ts";
import { DebugAnswers } from "./debug-answers.ts";

const system: Viewer = { type: "system" };

function fail(): never {
  throw new Error("planted");
}

/** Two gateways, of which the second rejects its listeners. */
async function twoGateways() {
  const plane = new ToyControlPlane({ clusters: new Map(), endpoints: new Map(), routes: new Map([["http", []]]) });
  for (const namespace of ["shop", "bank"]) {
    const envoy = toyEnvoy("sotw", namespace);
    envoy.reject = (typeUrl) => typeUrl === listenerType && namespace === "bank";
    plane.connect(envoy);
    await plane.settle(envoy);
  }
  return plane;
}

interface Asked {
  readonly mode?: "sotw" | "delta";
  readonly typeUrl: string;
  readonly names?: readonly string[];
  readonly nonce?: string;
  readonly viewer?: Viewer | undefined;
  /** Replaces the recording of answers. */
  readonly send?: () => never;
}

/** All answers, after the last one arrived. */
async function ask({ mode = "sotw", typeUrl, names = [], nonce = "", ...rest }: Asked) {
  const plane = await twoGateways();
  const [connection] = plane.server.connections;
  if (connection === undefined) throw new Error("somebody is there");
  const sent: Uint8Array[] = [];
  const ended: (readonly [GrpcStatus, string | undefined])[] = [];
  const failures: unknown[] = [];
  const stream: GrpcStream = {
    peer: { address: "127.0.0.1:4" },
    closed: false,
    queued: 0,
    attach: () => undefined,
    send: rest.send ?? ((bytes) => sent.push(bytes)),
    end: (status, message) => ended.push([status, message]),
  };
  const answers = new DebugAnswers({
    state: { connections: () => plane.server.connections, timeOf: (ms) => new Date(ms) },
    pages: [
      { path: "/debug/hello", doc: "", answer: (query) => text(`hello ${query.get("name") ?? ""}`) },
      { path: "/debug/own", doc: "", answer: () => text("all"), answerWithin: (namespace) => text(namespace) },
    ],
    viewerOf: () => ("viewer" in rest ? rest.viewer : system),
    instance: { id: "binnacle-0", version: "1.2.3" },
    logger: new RecordingLogger(),
    onFailure: (error) => failures.push(error),
  });
  const client: Proxy = connection.client;
  answers.answer({ client, mode, typeUrl, nonce, names, error: undefined, stream });
  await new Promise(setImmediate);
  return { sent, ended, failures };
}

async function resourcesOf(asked: Asked) {
  const { sent } = await ask(asked);
  return sent.flatMap((bytes) => fromBinary(DiscoveryResponseSchema, bytes).resources);
}

async function clients(asked: Asked) {
  return (await resourcesOf(asked)).map((any) => anyUnpack(any, ClientConfigSchema));
}

describe("debug requests over xDS", () => {
  test("syncz reports the state of every proxy by type, and the answering instance", async () => {
    const { sent } = await ask({ typeUrl: "istio.io/debug/syncz" });
    const [response] = sent.map((bytes) => fromBinary(DiscoveryResponseSchema, bytes));
    expect(JSON.parse(response?.controlPlane?.identifier ?? "")).toEqual({
      Component: "binnacle",
      ID: "binnacle-0",
      Info: { version: "1.2.3" },
    });
    const [, bank] = await clients({ typeUrl: "istio.io/debug/syncz" });
    expect(bank?.node).toMatchObject({ id: "gw.bank", metadata: { NAMESPACE: "bank", CLUSTER_ID: "" } });
    const urls = bank?.genericXdsConfigs.map(({ typeUrl }) => typeUrl) ?? [];
    expect(urls).toEqual(urls.toSorted());
    expect(bank?.genericXdsConfigs.find(({ typeUrl }) => typeUrl === listenerType)).toMatchObject({
      configStatus: ConfigStatus.ERROR,
      errorState: { details: "rejected by the model" },
    });
  });

  test("syncz shows a workload only the proxies of its namespace", async () => {
    const viewer: Viewer = { type: "namespace", namespace: "bank" };
    expect((await clients({ typeUrl: "istio.io/debug/syncz", viewer })).map((each) => each?.node?.id)).toEqual([
      "gw.bank",
    ]);
  });

  test("config_dump returns the sections of one proxy's dump, and nothing for none, two or a foreign proxy", async () => {
    const typeUrl = "istio.io/debug/config_dump";
    const sections = await resourcesOf({ typeUrl, names: ["gw.shop"] });
    const listeners = sections
      .map((any) => anyUnpack(any, ListenersConfigDumpSchema))
      .find((each) => each !== undefined);
    expect(listeners?.dynamicListeners.map(({ name }) => name)).toEqual(["http"]);
    const viewer: Viewer = { type: "namespace", namespace: "bank" };
    for (const asked of [{ names: [] }, { names: ["gw.shop", "gw.bank"] }, { names: ["gw.shop"], viewer }]) {
      const { sent } = await ask({ typeUrl, ...asked });
      expect(sent.map((bytes) => fromBinary(DiscoveryResponseSchema, bytes).resources)).toEqual([[]]);
    }
  });

  test.each([
    ["hello?name=you", system, "hello you\n"],
    ["elsewhere", system, "404 page not found: elsewhere\n"],
    ["list", system, `${JSON.stringify(["hello", "list", "own"], undefined, 2)}\n`],
    ["own", { type: "namespace", namespace: "bank" } as const, "bank\n"],
    ["hello", { type: "namespace", namespace: "bank" } as const, "only operators may see this page\n"],
  ])("a page is requested by its name: %s", async (name, viewer, body) => {
    const [any] = await resourcesOf({ typeUrl: "istio.io/debug", names: [name], viewer });
    expect(any?.typeUrl).toBe("istio.io/debug");
    expect(Buffer.from(any?.value ?? []).toString()).toBe(body);
  });

  test("are answered in delta too", async () => {
    const { sent } = await ask({ mode: "delta", typeUrl: "istio.io/debug/syncz" });
    const [response] = sent.map((bytes) => fromBinary(DeltaDiscoveryResponseSchema, bytes));
    expect(response?.resources.map(({ name }) => name)).toEqual(["gw.shop", "gw.bank"]);
  });

  test("without authentication are refused", async () => {
    const { sent, ended } = await ask({ typeUrl: "istio.io/debug/syncz", viewer: undefined });
    expect(sent).toEqual([]);
    expect(ended).toEqual([[GrpcStatus.UNAUTHENTICATED, expect.stringContaining("authentication required")]]);
  });

  test("end only their own stream if sending fails, and the failure is reported", async () => {
    expect(await ask({ typeUrl: "istio.io/debug/syncz", send: fail })).toEqual({
      sent: [],
      ended: [[GrpcStatus.INTERNAL, "internal error"]],
      failures: [new Error("planted")],
    });
  });

  test("are answered once: an acknowledgement of an answer is no request", async () => {
    expect(await ask({ typeUrl: "istio.io/debug/syncz", nonce: "debug-1" })).toEqual({
      sent: [],
      ended: [],
      failures: [],
    });
    expect((await ask({ typeUrl: "istio.io/debug/syncz", nonce: "2026-11-16" })).sent).toHaveLength(1);
  });
});
