import { describe, expect, test } from "vitest";
import { Graph } from "../../collection/graph.ts";
import { type Config, configKey } from "../../config/config.ts";
import type { Snapshot } from "../../galley/snapshotter/snapshot.ts";
import { configsIn } from "../../testing/config/configs-in.ts";
import { fakeConfig } from "../../testing/config/fake-config.ts";
import { configTopic } from "./config.ts";

const hostile = `<script>"'&`;
const gateways = "istio/networking/v1alpha3/gateways";

const gateway = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop, labels: { app: edge }, annotations: { note: hello } }
spec:
  servers: [{ port: { number: 80, name: http, protocol: HTTP }, hosts: ["*"] }]
`;

function snapshotOf(group: Snapshot["group"], contents: Readonly<Record<string, readonly Config[]>>): Snapshot {
  const graph = new Graph();
  const collections = Object.entries(contents).map(([name, configs]) => {
    const input = graph.input<Config>(name);
    for (const config of configs) input.set(configKey(config), config);
    return [name, input.snapshot()] as const;
  });
  return { group, collections: new Map(collections), version: (name) => `version of ${name}`, resources: () => [] };
}

function published() {
  const configs = configsIn(gateway, { file: "edge.yaml", source: "file:." });
  return new Map(
    [
      snapshotOf("syntheticServiceEntry", { "istio/synthetic": [fakeConfig({ name: "a" })] }),
      snapshotOf("default", { [`${gateways}/${hostile}`]: [fakeConfig({ name: hostile })], [gateways]: configs }),
    ].map((snapshot) => [snapshot.group, snapshot]),
  );
}

async function resource(query: Readonly<Record<string, string>>, snapshots = published()) {
  const [route] = configTopic({ snapshots: () => snapshots }).more ?? [];
  const answer = await route?.answer(new URLSearchParams(query));
  return JSON.parse(answer?.body ?? "") as unknown;
}

describe("configj", () => {
  const topic = configTopic({ snapshots: published });

  test.each(["", "group=", "group=default"])(
    "?%s shows a group, sorted; the alphabetically first by default",
    (query) => {
      expect(topic.data(new URLSearchParams(query))).toEqual({
        Groups: ["default", "syntheticServiceEntry"],
        Snapshots: [
          { Collection: gateways, Version: `version of ${gateways}`, Names: ["shop/edge"], Synced: {} },
          {
            Collection: `${gateways}/${hostile}`,
            Version: `version of ${gateways}/${hostile}`,
            Names: [`shop/${hostile}`],
            Synced: {},
          },
        ],
        Sinks: [],
        Galleys: [],
      });
    },
  );

  test("has no collections of a group that does not exist", () => {
    expect(topic.data(new URLSearchParams("group=x"))).toMatchObject({ Snapshots: [] });
  });

  test("is empty before the first snapshot, and so is the page", async () => {
    const early = configTopic({ snapshots: () => new Map() });
    expect(early.data(new URLSearchParams())).toEqual({ Snapshots: [], Groups: [], Sinks: [], Galleys: [] });
    expect((await early.body(new URLSearchParams())).markup).toContain("Nothing has been published yet");
    expect(await resource({ group: "default", collection: gateways, name: "shop/edge" }, new Map())).toBeNull();
  });

  test("shows one resource with its metadata and its content", async () => {
    expect(await resource({ group: "default", collection: gateways, name: "shop/edge" })).toEqual({
      metadata: {
        namespace: "shop",
        name: "edge",
        version: expect.stringMatching(/^\w+$/u),
        createTime: null,
        labels: { app: "edge" },
        annotations: { note: "hello" },
        reference: "edge.yaml:2",
      },
      body: { servers: [{ hosts: ["*"], port: { name: "http", number: 80, protocol: "HTTP" } }] },
    });
  });

  test("shows an internal service, which is no protobuf message", async () => {
    const spec = { hostname: "a.shop", ports: [] };
    const services = { "binnacle/services": [{ ...fakeConfig({ name: "a" }), spec }] };
    const snapshots = new Map([["default" as const, snapshotOf("default", services)]]);
    expect(await resource({ group: "default", collection: "binnacle/services", name: "shop/a" }, snapshots)).toEqual({
      metadata: expect.objectContaining({ name: "a" }),
      body: spec,
    });
  });

  test.each([
    {},
    { group: "default" },
    { group: "default", collection: gateways },
    { collection: gateways, name: "shop/edge" },
    { group: "default", collection: gateways, name: "shop/other" },
  ])("answers %j with null", async (query) => {
    expect(await resource(query)).toBeNull();
  });

  test("never shows the content of a secret, nor annotations that may repeat it", async () => {
    const secret = { ...fakeConfig({ name: "a" }), kind: "Secret", annotations: { applied: "hunter2" } };
    const snapshots = new Map([["default" as const, snapshotOf("default", { secrets: [secret] })]]);
    expect(await resource({ group: "default", collection: "secrets", name: "shop/a" }, snapshots)).toMatchObject({
      metadata: { name: "a", annotations: {} },
      body: null,
    });
  });
});

test("configz escapes the names of objects and collections", async () => {
  const { markup } = await configTopic({ snapshots: published }).body(new URLSearchParams());
  expect(markup).not.toContain("<script");
  expect(markup).toContain("&lt;script&gt;");
  expect(markup).toContain(`<a href="/configz/?group=syntheticServiceEntry">syntheticServiceEntry</a>`);
  const { markup: other } = await configTopic({ snapshots: published }).body(new URLSearchParams({ group: hostile }));
  expect(other).not.toContain("<script");
  expect(other).toContain("There is no such group.");
});

function dataOf(more: Omit<Parameters<typeof configTopic>[0], "snapshots">) {
  return configTopic({ snapshots: published, ...more }).data(new URLSearchParams());
}

describe("configj of MCP traffic", () => {
  const queue = { closed: false, queued_set: [], queue: [""], head: 0, tail: 0, max_depth: 0 };
  const held = {
    collection: gateways,
    sentVersion: "1",
    ackedVersion: "1",
    lastNack: undefined,
    sentAt: 0,
    pendingNonce: undefined,
  };
  const request = { at: 5, collection: gateways, nonce: "", incremental: false };
  const sink = {
    id: 1,
    peer: "10.0.0.1:5",
    identity: "",
    nodeId: "pilot",
    openedAt: 0,
    queue,
    recentRequests: [request],
  };

  test.each([
    ["has acknowledged what it was sent", held, [], true],
    ["has not answered yet", { ...held, ackedVersion: undefined, pendingNonce: "1" }, [], false],
    [
      "has rejected it",
      { ...held, ackedVersion: "0", lastNack: { version: "1", code: 3, message: "no", rejected: [] } },
      [],
      false,
    ],
    ["has something newer on its way", held, [gateways], false],
  ] as const)("a sink that %s is synced accordingly", (_, collection, queued_set, synced) => {
    const sinks = () => [{ ...sink, queue: { ...queue, queued_set }, collections: [collection] }];
    expect(dataOf({ sinks })).toMatchObject({
      Snapshots: [{ Collection: gateways, Synced: { "10.0.0.1:5": synced } }, { Synced: {} }],
    });
  });

  test("sinks are shown with their last sent, accepted and requested versions", () => {
    expect(dataOf({ sinks: () => [{ ...sink, collections: [held] }] })).toMatchObject({
      Sinks: [
        {
          Peer: "10.0.0.1:5",
          ID: "pilot",
          Collections: [{ Collection: gateways, Sent: "1", Acked: "1", LastNack: null }],
          LatestRequests: [{ Time: 5, Request: { collection: gateways } }],
        },
      ],
    });
  });

  test("remote Galleys are shown too, in the format of a sink's own page", async () => {
    const galley = {
      name: "mcp://galley:9901",
      attached: true,
      collections: [{ collection: gateways, systemVersion: "1", resources: 1, certain: true }],
      requests: [request],
    };
    expect(dataOf({ galleys: () => [galley] })).toMatchObject({
      Galleys: [
        { Source: "mcp://galley:9901", ID: "", Metadata: {}, Collections: [gateways], LatestRequests: [{ Time: 5 }] },
      ],
    });
    const { markup } = await configTopic({ snapshots: published, galleys: () => [galley] }).body(new URLSearchParams());
    expect(markup).toContain("mcp://galley:9901: connected");
  });
});
