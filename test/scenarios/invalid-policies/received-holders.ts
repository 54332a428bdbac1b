import { fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
import type { Config } from "../../../src/config/config.ts";
import { apiVersionOf, type Kind } from "../../../src/config/kind.ts";
import { ReceivedCollection } from "../../../src/galley/source/remote/received-collection.ts";
import { assert } from "../../../src/lib/assert.ts";
import { mcpCollections } from "../../../src/mcp/collections.ts";
import type { SinkChange } from "../../../src/mcp/sink/sink-updater.ts";
import { InForce, type PolicyHolder, type PolicyTexts } from "./holders.ts";

/** Objects of a peer, which sends its whole state each time. */
export function fullStateHolder(kind: Kind): PolicyHolder {
  return receivedHolder(kind, (texts) => ({ incremental: false, removed: [], ...messagesOf(kind, texts) }));
}

/** Objects of a peer, which sends its whole state once and then the differences. */
export function incrementalHolder(kind: Kind): PolicyHolder {
  let before: PolicyTexts | undefined;
  return receivedHolder(kind, (texts) => {
    const last = before;
    before = new Map(texts);
    if (last === undefined) return { incremental: false, removed: [], ...messagesOf(kind, texts) };
    const changed = new Map([...texts].filter(([key, text]) => last.get(key) !== text));
    const removed = [...last.keys()].filter((key) => !texts.has(key));
    return { incremental: true, removed, ...messagesOf(kind, changed) };
  });
}

type PeerMessage = Pick<SinkChange, "incremental" | "objects" | "removed" | "unreadable">;

function receivedHolder(kind: Kind, changeOf: (texts: PolicyTexts) => PeerMessage): PolicyHolder {
  const collection = mcpCollections.find((each) => each.kind === kind);
  assert(collection !== undefined, "policies travel over MCP");
  const received = new ReceivedCollection(collection);
  const inForce = new InForce();
  return {
    async take(texts) {
      inForce.handle(received.apply({ collection, systemVersion: "", ...changeOf(texts) }).events);
      return true;
    },
    policies: inForce.policies,
  };
}

/** The objects that protobuf can hold, and the names of the others. */
function messagesOf(kind: Kind, texts: PolicyTexts): Pick<SinkChange, "objects" | "unreadable"> {
  const read = Array.from(texts, ([key, text]) => [key, messageOf(kind, text)] as const);
  return {
    objects: read.flatMap(([, config]) => config ?? []),
    unreadable: read.flatMap(([name, config]) => (config === undefined ? [{ name, reason: "no message" }] : [])),
  };
}

export function messageOf(kind: Kind, text: string): Config<Message> | undefined {
  const { metadata, spec } = JSON.parse(text) as {
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly spec: JsonValue;
  };
  try {
    return {
      ...metadata,
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
      labels: {},
      annotations: {},
      createdAt: 0,
      version: text,
      origin: { source: "test", reference: "", locate: () => undefined },
      spec: fromJson(kind.schema, spec),
    };
  } catch {
    return undefined;
  }
}
