import { configKey } from "../../../src/config/config.ts";
import { mcpCollection } from "../../../src/mcp/collections.ts";
import { readResourceName } from "../../../src/mcp/envelope/resource-name.ts";
import { Sink } from "../../../src/mcp/sink/sink.ts";
import { FakeClock } from "../../../src/testing/fake-clock.ts";
import { RecordingSink } from "../../../src/testing/mcp/mcp-observers.ts";
import { McpStore } from "../../../src/testing/mcp/mcp-store.ts";
import { streamPair, type TestClientStream } from "../../../src/testing/stream/stream-pair.ts";
import { differingParts, shortName } from "./compare.ts";
import type { RecordedPush, RecordedResource, RecordedSession } from "./session.ts";

interface Replayed {
  readonly sink: Sink;
  readonly store: McpStore;
  readonly observer: RecordingSink;
  readonly client: TestClientStream;
}

/**
 * Replaces the recorded sink by our sink. Our sink gets every push, byte by byte. It must end with the same objects and
 * versions, and send the same answers. Returns the differences.
 */
export function replaySink(session: RecordedSession): ReadonlySet<string> {
  const found = new Set<string>();
  const streams = new Map<string, Replayed>();
  for (const line of session.lines) {
    if (line.type !== "push") continue;
    const { stream, push } = line;
    if (push.bytes === undefined) {
      found.add("a push that is too large for Pilot was not kept");
      continue;
    }
    const replayed = streams.get(stream) ?? open(session, stream);
    streams.set(stream, replayed);
    const before = replayed.observer.nacks.length;
    // The stream lends the bytes and overwrites them afterwards, so it gets a copy.
    replayed.client.send(Uint8Array.from(push.bytes));
    const [nack] = replayed.observer.nacks.slice(before);
    // The rejection of a trigger is expected: only the journal has it.
    const code = replayed.sink.journal.at(-1)?.error?.code;
    for (const each of answerDifferences(session, stream, push, code)) found.add(each);
    if (nack === undefined || nack.rejected.length > 0) {
      for (const each of objectDifferences(replayed, push)) found.add(each);
    }
  }
  return found;
}

/** Subscribes to the known collections of the recorded sink. */
function open(session: RecordedSession, stream: string): Replayed {
  const asked = session.lines.flatMap((line) => {
    if (line.type !== "request" || line.stream !== stream || line.request.errorDetail !== undefined) return [];
    return line.request.responseNonce === "" ? [line.request.collection] : [];
  });
  const store = new McpStore();
  const observer = new RecordingSink();
  const sink = new Sink({
    sourceName: "mcp://real",
    node: { id: "", annotations: {} },
    collections: [...new Set(asked)].flatMap((name) => {
      const collection = mcpCollection(name);
      return collection === undefined ? [] : [{ collection, incremental: false }];
    }),
    updater: store,
    clock: new FakeClock(),
    observer,
    // As in Pilot.
    unreadable: session.name === "pilot/own-source" ? "reject-message" : "reject-resource",
  });
  const { server, client } = streamPair();
  sink.attach(server);
  return { sink, store, observer, client };
}

/** Compares only the answers of a real sink: the others sent the answers that the recording needed. */
function answerDifferences(
  session: RecordedSession,
  stream: string,
  push: RecordedPush,
  ours: number | undefined,
): string[] {
  if (!/^(?:pilot|mcpc)/.test(session.name)) {
    return ours === undefined ? [] : [`${shortName(push.collection)}: we answer NACK ${ours}`];
  }
  const answer = session.lines.find((line) => {
    if (line.type !== "request" || line.stream !== stream) return false;
    return line.request.collection === push.collection && line.request.responseNonce === push.nonce;
  });
  if (answer?.type !== "request") return [];
  const theirs = answer.request.errorDetail?.code;
  if (theirs === ours) return [];
  return [`${shortName(push.collection)}: they answer ${verdict(theirs)}, we ${verdict(ours)}`];
}

function verdict(code: number | undefined): string {
  return code === undefined ? "ACK" : `NACK ${code}`;
}

function* objectDifferences({ sink, store }: Replayed, { collection, resources }: RecordedPush): Iterable<string> {
  const row = mcpCollection(collection);
  if (row === undefined) return;
  const versions = sink.versions(collection);
  const held = store.collections.get(collection);
  // Of two resources with the same name the later one counts.
  const byName = new Map<string, RecordedResource>(resources.map((each) => [each.metadata?.name ?? "", each]));
  for (const [name, theirs] of byName) {
    const id = readResourceName(name, row);
    const ours = id && held?.get(configKey(id));
    if (ours === undefined) {
      yield `${shortName(collection)}: we reject ${JSON.stringify(name)}`;
      continue;
    }
    const differing = differingParts(ours, theirs, row);
    if (versions.get(name) !== (theirs.metadata?.version ?? "")) yield `${shortName(collection)} ${name}: version`;
    for (const part of differing) yield `${shortName(collection)} ${name}: ${part}`;
  }
}
