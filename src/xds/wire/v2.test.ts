import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { ListenerSchema } from "#gen/envoy/config/listener/v3/listener_pb.js";
import { assert } from "../../lib/assert.ts";
import { makeResource } from "../resources/make-resource.ts";
import { clusterType, endpointType, listenerType, routeType, secretType } from "../type-urls.ts";
import { anyIn, entryAround } from "./entry.ts";
import { readTypeUrl } from "./v2.ts";
import { WireWriter } from "./wire-format.ts";

const v2 = (name: string) => `type.googleapis.com/envoy.api.v2.${name}`;
const managerV3 =
  "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
const managerV2 = "type.googleapis.com/envoy.config.filter.network.http_connection_manager.v2.HttpConnectionManager";

test.each([
  [v2("Cluster"), clusterType],
  [v2("ClusterLoadAssignment"), endpointType],
  [v2("Listener"), listenerType],
  [v2("RouteConfiguration"), routeType],
  [v2("auth.Secret"), secretType],
])("%s is the v2 name of a type, and the client is answered under it", (old, typeUrl) => {
  expect(readTypeUrl(old)).toMatchObject({ typeUrl, dialect: { typeUrl: old } });
});

test("a v3 type URL is its own type, and its resources are sent unchanged", () => {
  expect(readTypeUrl(clusterType)).toEqual({ typeUrl: clusterType, dialect: { typeUrl: clusterType } });
});

/** The resource in the v2 dialect. */
function translated(typeUrl: string, old: string, value: Uint8Array) {
  const { translate } = readTypeUrl(old).dialect;
  assert(translate !== undefined, "resources are translated to v2");
  const resource = makeResource({ typeUrl, name: "a", value });
  return { resource, translate, result: translate(resource) };
}

describe("a resource for a v2 client", () => {
  test("has the same bytes, name and version under the v2 type URL", () => {
    const { resource, result } = translated(clusterType, v2("Cluster"), Buffer.from("bytes"));
    expect([result.name, result.version]).toEqual([resource.name, resource.version]);
    const { typeUrl, value } = fromBinary(AnySchema, anyIn(result.entry));
    expect([typeUrl, Buffer.from(value).toString()]).toEqual([v2("Cluster"), "bytes"]);
  });

  test("may be empty", () => {
    const { result } = translated(clusterType, v2("Cluster"), new Uint8Array());
    expect(fromBinary(AnySchema, anyIn(result.entry))).toMatchObject({
      typeUrl: v2("Cluster"),
      value: new Uint8Array(),
    });
  });

  test("may have the fields of its Any in any order", () => {
    const { translate } = translated(clusterType, v2("Cluster"), Buffer.from("bytes"));
    const entry = entryAround(new WireWriter(18).text(2, "bytes").text(1, "type.some").bytes);
    const result = translate({ name: "a", version: "1", owners: [], entry });
    expect(Buffer.from(fromBinary(AnySchema, anyIn(result.entry)).value).toString()).toBe("bytes");
  });

  test("is translated once for all clients", () => {
    const { resource, translate, result } = translated(routeType, v2("RouteConfiguration"), Buffer.from("bytes"));
    expect(translate(resource)).toBe(result);
  });
});

const any = (typeUrl: string) => ({ typeUrl, value: Uint8Array.of(1, 2) });
const typed = (typeUrl: string) => ({ case: "typedConfig" as const, value: any(typeUrl) });

/** The listener as a v2 client gets it. */
function listenerForV2(init: MessageInitShape<typeof ListenerSchema>) {
  const value = toBinary(ListenerSchema, create(ListenerSchema, init));
  const { result } = translated(listenerType, v2("Listener"), value);
  return fromBinary(ListenerSchema, fromBinary(AnySchema, anyIn(result.entry)).value);
}

describe("a listener for a v2 client", () => {
  test("has every connection manager under its v2 name, and other filters unchanged", () => {
    const { filterChains } = listenerForV2({
      filterChains: [
        { filters: [{ configType: typed("other") }, { configType: typed(managerV3) }, {}] },
        { filters: [{ configType: typed(managerV3) }] },
      ],
    });
    const found = filterChains.map(({ filters }) =>
      filters.map(({ configType }) => (configType.case === "typedConfig" ? configType.value.typeUrl : configType.case)),
    );
    expect(found).toEqual([["other", managerV2, undefined], [managerV2]]);
  });

  test("has the connection manager of an API listener under its v2 name", () => {
    const { apiListener } = listenerForV2({ apiListener: { apiListener: any(managerV3) } });
    expect(apiListener?.apiListener).toMatchObject(any(managerV2));
  });

  test("may have an empty API listener", () => {
    const { apiListener, filterChains } = listenerForV2({ apiListener: {} });
    expect([apiListener?.apiListener, filterChains]).toEqual([undefined, []]);
  });
});
