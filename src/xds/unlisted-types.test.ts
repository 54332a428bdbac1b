import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "vitest";
import {
  DiscoveryRequestSchema,
  type DiscoveryResponse,
  DiscoveryResponseSchema,
} from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { FakeClock } from "../testing/fake-clock.ts";
import { RecordingObserver } from "../testing/recording/recording-observer.ts";
import { streamPair } from "../testing/stream/stream-pair.ts";
import type { Client, ResourceSource } from "./resource-source.ts";
import { makeResource } from "./resources/make-resource.ts";
import { ResourceSet } from "./resources/resource-set.ts";
import { warmingRules } from "./stream/warming.ts";
import { XdsServer } from "./xds-server.ts";

/** Lists one type that is never acknowledged, and serves every other type too. */
class Obliging implements ResourceSource<Client> {
  readonly types = [{ typeUrl: "listed", shortName: "listed", sotw: "whole", neverAcknowledged: true }] as const;
  readonly #sets = new Map<string, ResourceSet>();

  unlisted(typeUrl: string) {
    return { typeUrl, shortName: "unlisted", sotw: "whole" } as const;
  }

  set(typeUrl: string, content: string): void {
    const resource = makeResource({ typeUrl, name: "a", value: Buffer.from(content) });
    this.#sets.set(typeUrl, ResourceSet.empty.apply({ covers: "all", resources: [resource] }));
  }

  lease({ typeUrl }: { readonly typeUrl: string }) {
    const setNow = () => this.#sets.get(typeUrl) ?? ResourceSet.empty;
    return {
      id: typeUrl,
      get target() {
        return [setNow()];
      },
      end: () => undefined,
    };
  }
}

describe("a source that serves unlisted types", () => {
  let clock: FakeClock;
  let source: Obliging;
  let observer: RecordingObserver;
  let ask: (typeUrl: string, responseNonce?: string) => void;
  let read: () => readonly DiscoveryResponse[];
  let push: () => void;

  beforeEach(() => {
    clock = new FakeClock();
    source = new Obliging();
    observer = new RecordingObserver();
    const server = new XdsServer<Client>({
      source,
      clock,
      observer,
      warmingRules,
      ackTimeoutMs: 15_000,
      admit: () => ({ type: "admitted", introduce: () => ({ type: "client", client: { nodeId: "node" } }) }),
      idOf: ({ nodeId }) => nodeId,
    });
    const { server: stream, client } = streamPair();
    server.serve(stream, { mode: "sotw" });
    ask = (typeUrl, responseNonce = "") =>
      client.send(toBinary(DiscoveryRequestSchema, create(DiscoveryRequestSchema, { typeUrl, responseNonce })));
    let seen = 0;
    read = () => {
      const news = client.received.slice(seen).map((bytes) => fromBinary(DiscoveryResponseSchema, bytes));
      seen = client.received.length;
      return news;
    };
    push = () => {
      for (const connection of server.connections) connection.push({ reasons: new Map([["edit", 1]]), startedAt: 0 });
    };
  });

  test("answers every type and watches it from then on, after the listed types", () => {
    ask("second");
    ask("first");
    ask("listed");
    expect(read().map(({ typeUrl, resources }) => [typeUrl, resources.length])).toEqual([
      ["second", 0],
      ["first", 0],
      ["listed", 0],
    ]);
    for (const nonce of ["1", "2"]) ask(nonce === "1" ? "second" : "first", nonce);
    for (const typeUrl of ["first", "second", "listed"]) source.set(typeUrl, "1");
    push();
    expect(read().map(({ typeUrl }) => typeUrl)).toEqual(["listed", "second", "first"]);
    expect(observer.unknownTypes).toEqual([]);
  });

  test("serves at most a hundred unlisted types per stream", () => {
    for (let type = 0; type < 110; type++) ask(`type ${type}`);
    expect(read()).toHaveLength(100);
    expect(observer.unknownTypes).toHaveLength(10);
    ask("type 99", "100");
    ask("type 99");
    ask("listed");
    expect(read().map(({ typeUrl }) => typeUrl)).toEqual(["type 99", "listed"]);
  });

  test("does not wait for an acknowledgement of a type that is never acknowledged", () => {
    ask("listed");
    for (const content of ["1", "2", "3"]) {
      source.set("listed", content);
      push();
    }
    expect(read()).toHaveLength(4);
    clock.advance(60_000);
    expect([read().length, observer.overdue]).toEqual([0, 0]);
  });
});
