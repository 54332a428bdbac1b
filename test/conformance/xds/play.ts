import { deepEqual, equal, notEqual, ok } from "node:assert/strict";
import { type DiscoveryService, fenceName, type State, type TestNode } from "./subject.ts";
import type { ReceivedResponse, TestStream } from "./test-stream.ts";

interface Expected {
  readonly names: readonly string[];
  /** As it was given to the server; how it is told is the server's own business unless it takes versions verbatim. */
  readonly version: string;
  /** More than the names asked for may come along. */
  readonly more?: boolean;
}

/** One run of an outline: what the client does, what is done to the server, and what must have come of it. */
export class Play {
  readonly node: TestNode;
  readonly stream: TestStream;
  readonly #versions = new Map<string, string>();
  readonly #nonces = new Set<string>();

  constructor(node: TestNode, stream: TestStream) {
    this.node = node;
    this.stream = stream;
  }

  /** The state at the beginning: what the outline names, and what fences need. */
  async given(state: State, version: string): Promise<void> {
    const entries = Object.entries(state).map(([service, names]) => [service, [...names, fenceName]]);
    await this.node.set(Object.fromEntries(entries) as State, version);
  }

  /** Exactly one response has come since the last look, and it is the expected one. */
  async receives(service: DiscoveryService, expected: Expected): Promise<ReceivedResponse> {
    const [response, ...more] = await this.stream.fence(service);
    return this.check(service, expected, response, more);
  }

  /** As {@link receives}, for the first answer to a type, which may have the fence's name in it. */
  async receivesFirst(service: DiscoveryService, expected: Expected): Promise<ReceivedResponse> {
    const response = await this.stream.next();
    return this.check(service, expected, response, await this.stream.fence(service));
  }

  check(
    service: DiscoveryService,
    expected: Expected,
    response: ReceivedResponse | undefined,
    more: readonly ReceivedResponse[],
  ): ReceivedResponse {
    ok(response !== undefined, `a response with ${expected.names.join()} is missing`);
    deepEqual(more.map(describe), [], "responses that nothing asked for");
    equal(response.service, service);
    const names = [...response.resources.keys()].filter((name) => name !== fenceName).toSorted();
    if (expected.more === true) for (const name of expected.names) ok(names.includes(name), `${name} is missing`);
    else deepEqual(names, [...expected.names].toSorted());
    this.#checkVersion(service, expected.version, response.version);
    ok(response.nonce !== "" && !this.#nonces.has(response.nonce), "every response has a nonce of its own");
    this.#nonces.add(response.nonce);
    return response;
  }

  /** Delta: the name is told to be gone. */
  async isToldOfRemoval(service: DiscoveryService, name: string): Promise<void> {
    const responses = await this.stream.fence(service);
    deepEqual(responses.map(describe), [describe({ service, resources: new Map(), removed: [name] })]);
  }

  async receivesNothing(service: DiscoveryService): Promise<void> {
    deepEqual((await this.stream.fence(service)).map(describe), []);
  }

  #checkVersion(service: DiscoveryService, label: string, told: string): void {
    if (this.node.verbatimVersions) return equal(told, label);
    const key = `${service} ${label}`;
    for (const [other, version] of this.#versions) {
      if (other !== key && other.startsWith(service)) notEqual(told, version, `${key} has the version of ${other}`);
    }
    this.#versions.set(key, told);
  }
}

export function describe({
  service,
  resources,
  removed,
}: Pick<ReceivedResponse, "service" | "resources" | "removed">): string {
  const names = [...resources.keys()].filter((name) => name !== fenceName).toSorted();
  return [service, ...names.map((name) => `+${name}`), ...removed.toSorted().map((name) => `-${name}`)].join(" ");
}
