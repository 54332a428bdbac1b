import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type RequestResources,
  RequestResourcesSchema,
  type Resources,
  ResourcesSchema,
} from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { mcpCollection } from "../../../src/mcp/collections.ts";
import { openEnvelope } from "../../../src/mcp/envelope/open-envelope.ts";
import { ResourceSourceServer } from "../../../src/mcp/source/resource-source-server.ts";
import type { SourceSettings } from "../../../src/mcp/source/source-settings.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { RecordingSource } from "../../../src/testing/mcp/mcp-observers.ts";
import { streamPair, type TestClientStream } from "../../../src/testing/stream/stream-pair.ts";
import { differingParts, shortName } from "./compare.ts";
import { meshFile, type pauses, replayGalley } from "./replay-galley.ts";
import type { Recorded, RecordedPush, RecordedSession } from "./session.ts";

/** The settings of the recorded source. */
const asGalley: Partial<SourceSettings> = {
  incremental: () => false,
  requestBurst: 10_000,
  nackRetry: { minMs: 1e9, maxMs: 1e9 },
};

/** One stream: their pushes and ours, and which of ours corresponds to which of theirs. */
class ReplayedStream {
  readonly #client: TestClientStream;
  readonly #theirs: RecordedPush[] = [];
  readonly #read: Resources[] = [];
  readonly #nonces = new Map<string, string>();

  constructor(client: TestClientStream) {
    this.#client = client;
  }

  get #ours(): readonly Resources[] {
    const unread = this.#client.received.slice(this.#read.length);
    this.#read.push(...unread.map((bytes) => fromBinary(ResourcesSchema, bytes)));
    return this.#read;
  }

  /** The numbers of pushes of each collection, where they differ. */
  get surplus(): readonly string[] {
    const [theirs, ours] = [this.#theirs, this.#ours].map((pushes) => counted(pushes));
    const names = new Set([...(theirs?.keys() ?? []), ...(ours?.keys() ?? [])]);
    return [...names].flatMap((name) => {
      const [their, our] = [theirs?.get(name) ?? 0, ours?.get(name) ?? 0];
      return their === our ? [] : [`${shortName(name)}: they push ${their} times, we ${our}`];
    });
  }

  /** Our latest push of the collection at the time of their push. An answer to theirs counts as an answer to ours. */
  match(push: RecordedPush): Resources | undefined {
    this.#theirs.push(push);
    const ours = this.#ours.findLast(({ collection }) => collection === push.collection);
    if (ours !== undefined) this.#nonces.set(push.nonce, ours.nonce);
    return ours;
  }

  /** Sends a recorded request. False if it answers a push of theirs without one of ours. */
  say(request: RequestResources): boolean {
    const { responseNonce } = request;
    const known = this.#theirs.some(({ nonce }) => nonce === responseNonce && nonce !== "");
    const nonce = known ? this.#nonces.get(responseNonce) : responseNonce;
    if (nonce === undefined) return false;
    this.#client.send(toBinary(RequestResourcesSchema, { ...request, responseNonce: nonce }));
    return true;
  }

  /** Acknowledges pushes that only ours sent: the recorded sink did not get them. */
  ackSurplus(): void {
    const answered = new Set(this.#nonces.values());
    for (const { collection, nonce } of this.#ours) {
      if (nonce === "" || answered.has(nonce)) continue;
      this.#nonces.set(`ours ${nonce}`, nonce);
      const request = create(RequestResourcesSchema, { collection, responseNonce: nonce });
      this.#client.send(toBinary(RequestResourcesSchema, request));
    }
  }

  close(): void {
    this.#client.close();
  }
}

function counted(pushes: readonly { readonly collection: string }[]): ReadonlyMap<string, number> {
  const groups = Map.groupBy(pushes, ({ collection }) => collection);
  return new Map(Array.from(groups, ([name, each]) => [name, each.length]));
}

/**
 * Replaces the recorded Galley by our Galley: the same files, edits, signals and requests, at the same times. Our
 * Galley must push the same objects as often, so that every recorded answer follows. Returns the differences.
 */
export class SourceReplay {
  readonly found = new Set<string>();
  /** The number of recorded answers that had a push of ours to follow. */
  answered = 0;
  readonly #session: RecordedSession;
  readonly #clock = new FakeClock();
  readonly #disk: Map<string, string>;
  readonly #pause: keyof typeof pauses;
  readonly #rejects: boolean;
  readonly #streams = new Map<string, ReplayedStream>();
  #galley: ReturnType<typeof replayGalley> | undefined;
  #source: ResourceSourceServer | undefined;

  constructor(session: RecordedSession) {
    this.#session = session;
    this.#disk = new Map([...session.files, ["mesh.yaml", session.mesh]]);
    this.#pause = session.name.includes("new-processor") ? "new" : "old";
    // In other sessions this setting would end streams over collections that only the recorded Galley serves.
    this.#rejects = /unknown-collection|callout/.test(session.name);
  }

  async run(): Promise<this> {
    for (const line of this.#session.lines) {
      if (line.at > this.#clock.now()) this.#clock.advance(line.at - this.#clock.now());
      await this.#take(line);
    }
    for (const stream of this.#streams.values()) for (const each of stream.surplus) this.found.add(each);
    this.#galley?.stop();
    return this;
  }

  async #take(line: Recorded): Promise<void> {
    if (line.type === "event") return this.#happen(line.event);
    if (line.type === "headers") return;
    const stream = this.#streams.get(line.stream);
    if (stream === undefined) return;
    if (line.type === "end") return stream.close();
    if (line.type === "push") return this.#compare(line.push, stream);
    const isAnswer = line.request.responseNonce !== "";
    if (stream.say(line.request)) this.answered += isAnswer ? 1 : 0;
    else this.found.add(`${shortName(line.request.collection)}: we have no push for an answer`);
  }

  async #happen(event: Readonly<Record<string, unknown>>): Promise<void> {
    const { process, start, signal, file, text, content, removed, open, opened, stream } = event;
    if (process === "galley" && start !== undefined) await this.#start();
    if (process === "galley" && signal === "SIGUSR1") {
      for (const each of this.#streams.values()) each.ackSurplus();
      this.#galley?.source.look();
    }
    if (typeof file === "string") {
      if (removed === true) this.#disk.delete(file);
      else this.#disk.set(file, this.#textOf(content ?? text));
      // Galley watches this file. Its folder of files waits for a signal instead.
      if (file === meshFile) this.#galley?.source.lookAtMesh();
    }
    const path = open ?? opened;
    if (typeof path === "string" && typeof stream === "string") this.#open(stream, path);
  }

  /** Inline text, or a file beside the recording. */
  #textOf(content: unknown): string {
    return /^step-[\w.-]+$/.test(String(content)) ? this.#session.read(String(content)) : String(content);
  }

  /** Starts a process with the current files. The one before it, if any, has ended. */
  async #start(): Promise<void> {
    this.#source?.stop();
    this.#galley?.stop();
    this.#galley = replayGalley(this.#disk, this.#clock, this.#pause);
    this.#source = new ResourceSourceServer({
      cache: this.#galley.cache,
      clock: this.#clock,
      observer: new RecordingSource(),
      settings: { ...asGalley, unknownCollections: this.#rejects ? "reject" : "empty" },
    });
    await this.#galley.start();
  }

  #open(name: string, path: string): void {
    const { server, client } = streamPair();
    this.#source?.serve(server, { trigger: path.includes("ResourceSink") });
    this.#streams.set(name, new ReplayedStream(client));
  }

  #compare(theirs: RecordedPush, stream: ReplayedStream): void {
    const ours = stream.match(theirs);
    const short = shortName(theirs.collection);
    if (ours === undefined) {
      this.found.add(`${short}: we do not push it`);
      return;
    }
    const row = mcpCollection(theirs.collection);
    if (row === undefined) return;
    const configs = new Map(
      ours.resources.map((each) => [
        each.metadata?.name ?? "",
        openEnvelope(each, row, { sourceName: "ours", age: "today" }),
      ]),
    );
    for (const each of theirs.resources) {
      const name = each.metadata?.name ?? "";
      const config = configs.get(name);
      if (config === undefined) this.found.add(`${short} ${JSON.stringify(name)}: only theirs`);
      else for (const part of differingParts(config, each, row)) this.found.add(`${short} ${name}: ${part}`);
      configs.delete(name);
    }
    for (const name of configs.keys()) this.found.add(`${short} ${JSON.stringify(name)}: only ours`);
  }
}
