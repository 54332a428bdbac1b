import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DeltaDiscoveryRequestSchema } from "#gen/envoy/service/discovery/v3/discovery_pb.js";
import { setOf, toyGenerator } from "../../testing/envoy/toy-mesh.ts";
import { runs, seed } from "../../testing/random/seed.ts";
import { NameSets } from "../resources/name-set.ts";
import { clusterType } from "../type-urls.ts";
import { readDeltaRequest } from "../wire/request.ts";
import type { Answer } from "./answer.ts";
import { receiveDelta } from "./delta.ts";
import { Subscription } from "./subscription.ts";

type Contents = Readonly<Record<string, number>>;

/** The client cannot decode this revision of any resource. It applies nothing of an answer that has one. */
const unreadable = 3;

interface Names {
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
}

type Request = Exclude<MessageInitShape<typeof DeltaDiscoveryRequestSchema>, { readonly $typeName: string }>;

/** A delta client that subscribes and unsubscribes at random, and the server's state of it. */
class FickleClient {
  readonly held = new Map<string, string>();
  readonly #subscription = new Subscription(toyGenerator(clusterType), "delta");
  readonly #nameSets = new NameSets();
  readonly #pending: { readonly nonce: string; readonly answer: Answer }[] = [];
  readonly #names = new Set<string>();
  #wildcard = false;
  #contents: Contents = {};
  #target = [setOf(clusterType, {})];
  #first = true;
  #nonce = 0;
  mayRemove = true;

  edit(contents: Contents): void {
    this.#contents = contents;
    this.#target = [setOf(clusterType, contents)];
    this.pump();
  }

  /** The client drops the resources that it unsubscribes from. */
  ask({ subscribe = [], unsubscribe = [] }: Names, error?: string): void {
    for (const name of subscribe) this.#names.add(name);
    for (const name of unsubscribe) this.#names.delete(name);
    this.#wildcard = this.#names.has("*");
    for (const name of this.held.keys()) {
      if (!this.#wants(name) || unsubscribe.includes(name)) this.held.delete(name);
    }
    this.#send({ resourceNamesSubscribe: [...subscribe], resourceNamesUnsubscribe: [...unsubscribe] }, error);
  }

  /** Reads one answer and sends an ACK or NACK. */
  read(): boolean {
    const next = this.#pending.shift();
    if (next === undefined) return false;
    const { resources, removed } = next.answer;
    const poison = resources.find(({ entry }) => Buffer.from(entry).includes(`"revision":${unreadable}`));
    if (poison === undefined) {
      for (const { name, version } of resources) if (this.#wants(name)) this.held.set(name, version);
      for (const name of removed) this.held.delete(name);
    }
    this.#send({ responseNonce: next.nonce }, poison && `cannot read ${poison.name}`);
    return true;
  }

  /** The server stops waiting for an acknowledgement. */
  expire(): void {
    this.#subscription.stopAwaitingAck();
    this.pump();
  }

  pump(): void {
    if (this.#first || this.#subscription.blocked) return;
    const answer = this.#subscription.due(this.#target, { mayRemove: () => this.mayRemove });
    if (answer === undefined) return;
    const nonce = String(++this.#nonce);
    this.#subscription.recordSent(nonce, answer, 0);
    this.#pending.push({ nonce, answer });
  }

  settle(): void {
    this.mayRemove = true;
    this.pump();
    for (let count = 0; this.read(); count++) if (count > 500) throw new Error("the answers do not come to rest");
  }

  /** The resources that the client should hold, without undecodable ones. */
  get truth(): readonly string[] {
    const wanted = Object.entries(this.#contents).filter(([name]) => this.#wants(name));
    const readable = wanted.filter(([, revision]) => revision !== unreadable);
    return readable.map(([name]) => `${name} ${this.#target[0]?.get(name)?.version}`).toSorted();
  }

  /** The resources that the client holds, except those that it cannot decode now. */
  get known(): readonly string[] {
    const known = [...this.held].filter(([name]) => this.#contents[name] !== unreadable);
    return known.map(([name, version]) => `${name} ${version}`).toSorted();
  }

  get rejected(): readonly string[] {
    const { rejected, error } = this.#subscription;
    return [...rejected.keys(), ...(error === undefined ? [] : [error])];
  }

  #wants(name: string): boolean {
    return this.#wildcard || this.#names.has(name);
  }

  #send(init: Request, error?: string): void {
    const errorDetail = error === undefined ? {} : { errorDetail: { code: 3, message: error } };
    const message = create(DeltaDiscoveryRequestSchema, { typeUrl: clusterType, ...init, ...errorDetail });
    const request = readDeltaRequest(toBinary(DeltaDiscoveryRequestSchema, message));
    receiveDelta(this.#subscription, request, { first: this.#first, nameSets: this.#nameSets });
    this.#first = false;
    this.pump();
  }
}

const someNames = fc.uniqueArray(fc.constantFrom("*", "a", "b", "c", "d"), { minLength: 1, maxLength: 2 });
const contents = fc.dictionary(fc.constantFrom("a", "b", "c", "d", "kept"), fc.nat(unreadable));

type Step = (client: FickleClient) => void;
const step: fc.Arbitrary<Step> = fc.oneof(
  contents.map(
    (next): Step =>
      (client) =>
        client.edit(next),
  ),
  someNames.map(
    (subscribe): Step =>
      (client) =>
        client.ask({ subscribe }),
  ),
  someNames.map(
    (unsubscribe): Step =>
      (client) =>
        client.ask({ unsubscribe }),
  ),
  fc.boolean().map(
    (mayRemove): Step =>
      (client) =>
        Object.assign(client, { mayRemove }).pump(),
  ),
  fc.constant<Step>((client) => client.read()),
  fc.constant<Step>((client) => client.read()),
  fc.constant<Step>((client) => client.expire()),
);

test("a randomly subscribing delta client holds all decodable resources, and everything after the repair", () => {
  fc.assert(
    fc.property(contents, fc.boolean(), fc.array(step, { maxLength: 40 }), (first, startsWithError, steps) => {
      const client = new FickleClient();
      client.edit(first);
      // The client never unsubscribes from one name, so it never unsubscribes from the type.
      client.ask({ subscribe: ["*", "kept"] }, startsWithError ? "of an earlier stream" : undefined);
      for (const each of steps) each(client);
      client.settle();
      expect(client.known).toEqual(client.truth);
      client.edit({ a: 9, b: 9, kept: 9 });
      client.settle();
      expect(client.known).toEqual(client.truth);
      expect(client.rejected).toEqual([]);
    }),
    { seed, numRuns: runs(1000) },
  );
});
