import { fromBinary, type JsonValue, toJson } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import type { ConfigId } from "../config/config.ts";
import { errorFrom } from "../lib/errors.ts";
import type { Proxy } from "../pilot/model/proxy.ts";
import type { Connection } from "../xds/connection.ts";
import type { Resource } from "../xds/resources/resource.ts";
import type { Subscription } from "../xds/subscription/subscription.ts";
import { scanFields } from "../xds/wire/wire.ts";
import { envoyTypes } from "./envoy-types.ts";
import { type Answer, json, type Route, text } from "./route.ts";
import type { PilotState } from "./state.ts";
import { syncStateOf } from "./syncz.ts";
import { withoutSecrets } from "./without-secrets.ts";

export function configDump(state: PilotState): Route {
  return {
    path: "/debug/config_dump",
    doc: "what one proxy was sent, as Envoy's JSON without secrets, and what each resource was made of; ?proxyID=NODE",
    answer: (query) => answerFrom([...state.connections()], query, state),
    // Of proxies that are none of its business a workload does not even learn that they are there.
    answerWithin: (namespace, query) =>
      answerFrom(
        [...state.connections()].filter(({ client }) => client.namespace === namespace),
        query,
        state,
      ),
  };
}

function answerFrom(connections: readonly Connection<Proxy>[], query: URLSearchParams, state: PilotState): Answer {
  const wanted = query.get("proxyID");
  if (wanted === null || wanted === "") return text("which proxy? add ?proxyID=NODE", 400);
  const found = connections.find(({ client }) => client.nodeId === wanted || client.id === wanted);
  return found === undefined ? text(notConnected(wanted, connections), 404) : json(dumpOf(found, state));
}

function notConnected(wanted: string, connections: readonly Connection<Proxy>[]): string {
  const known = connections.map(({ client }) => client.nodeId).toSorted();
  const hint = known.length === 0 ? "no proxy is connected" : `connected here:\n${known.join("\n")}`;
  return `${wanted} is not connected to this server; ${hint}`;
}

function dumpOf({ id, client, mode, subscriptions }: Connection<Proxy>, state: PilotState) {
  return {
    node: client.nodeId,
    connection: id,
    mode,
    types: subscriptions.map((subscription) => ({
      type_url: subscription.type.typeUrl,
      state: syncStateOf(subscription),
      ...(subscription.error !== undefined && { error: subscription.error }),
      resources: sentResources(subscription).map((resource) => resourceOf(resource, state)),
    })),
  };
}

function sentResources(subscription: Subscription): readonly Resource[] {
  return subscription.sent.flatMap((set) => [...set]).filter(({ name }) => subscription.wants(name));
}

/** The protocol does not care what a resource was made of; these were made of users' objects. */
function resourceOf({ name, version, owners, entry }: Resource, { originOf }: PilotState) {
  return {
    name,
    version,
    owners: owners.map((id) => ({ id, reference: originOf(id as ConfigId)?.reference ?? "" })),
    resource: publicJson(entry),
  };
}

const jsonOptions = { registry: envoyTypes, useProtoFieldName: true };

/** The resource inside a `resources` entry of a response; what cannot be opened is shown as the bytes it is. */
export function resourceJson(entry: Uint8Array): JsonValue {
  const bytes = anyBytes(entry);
  try {
    return toJson(AnySchema, fromBinary(AnySchema, bytes), jsonOptions);
  } catch (thrown) {
    return { unreadable: errorFrom(thrown).message, bytes: Buffer.from(bytes).toString("base64") };
  }
}

/** The same without secrets: what cannot be opened might hold some, and is not shown. */
function publicJson(entry: Uint8Array): JsonValue {
  try {
    const any = fromBinary(AnySchema, anyBytes(entry));
    return toJson(AnySchema, withoutSecrets(any, envoyTypes), jsonOptions);
  } catch (thrown) {
    return { unreadable: errorFrom(thrown).message };
  }
}

function anyBytes(entry: Uint8Array): Uint8Array {
  let any = entry;
  scanFields(entry, (_field, start, end) => {
    any = entry.subarray(start, end);
  });
  return any;
}
