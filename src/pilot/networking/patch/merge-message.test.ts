import { fromJson, type JsonObject, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { assert } from "../../../lib/assert.ts";
import { envoyRegistry } from "./envoy-registry.ts";
import { type ListMerge, mergeMessage } from "./merge-message.ts";

interface Row {
  readonly rule: string;
  readonly target: JsonObject;
  readonly source: JsonObject;
  readonly lists?: ListMerge;
  readonly merged: JsonObject;
}

const lua = "type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua";
const router = "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router";

/** Messages are clusters, which have fields of every sort. */
const rows: readonly Row[] = [
  { rule: "a text that is set wins", target: { name: "a" }, source: { name: "b" }, merged: { name: "b" } },
  {
    rule: "an empty text and false change nothing",
    target: { name: "a", respect_dns_ttl: true },
    source: { name: "", respect_dns_ttl: false },
    merged: { name: "a", respect_dns_ttl: true },
  },
  {
    rule: "zero in a wrapper changes nothing",
    target: { per_connection_buffer_limit_bytes: 7 },
    source: { per_connection_buffer_limit_bytes: 0 },
    merged: { per_connection_buffer_limit_bytes: 7 },
  },
  {
    rule: "a wrapper that was unset is set, to zero too",
    target: {},
    source: { per_connection_buffer_limit_bytes: 0 },
    merged: { per_connection_buffer_limit_bytes: 0 },
  },
  {
    rule: "a duration is replaced whole",
    target: { connect_timeout: "1.500s" },
    source: { connect_timeout: "2s" },
    merged: { connect_timeout: "2s" },
  },
  {
    rule: "messages merge field by field",
    target: { common_lb_config: { update_merge_window: "1s", healthy_panic_threshold: { value: 5 } } },
    source: { common_lb_config: { update_merge_window: "2s" } },
    merged: { common_lb_config: { update_merge_window: "2s", healthy_panic_threshold: { value: 5 } } },
  },
  {
    rule: "lists grow",
    target: { circuit_breakers: { thresholds: [{ max_requests: 1 }] } },
    source: { circuit_breakers: { thresholds: [{ priority: "HIGH", max_requests: 2 }] } },
    merged: { circuit_breakers: { thresholds: [{ max_requests: 1 }, { priority: "HIGH", max_requests: 2 }] } },
  },
  {
    rule: "MERGE_AND_REPLACE_LIST replaces lists at every depth, and keeps lists that the patch does not set",
    target: { circuit_breakers: { thresholds: [{ max_requests: 1 }] }, filters: [{ name: "a" }] },
    source: { circuit_breakers: { thresholds: [{ max_requests: 2 }] } },
    lists: "replace",
    merged: { circuit_breakers: { thresholds: [{ max_requests: 2 }] }, filters: [{ name: "a" }] },
  },
  {
    rule: "maps merge by key, and an entry is replaced whole",
    target: { typed_extension_protocol_options: { a: { "@type": router }, b: { "@type": router } } },
    source: { typed_extension_protocol_options: { b: { "@type": lua, inline_code: "c" } } },
    merged: {
      typed_extension_protocol_options: { a: { "@type": router }, b: { "@type": lua, inline_code: "c" } },
    },
  },
  {
    rule: "another member of a oneof wins",
    target: { type: "EDS" },
    source: { cluster_type: { name: "x", typed_config: { "@type": router } } },
    merged: { cluster_type: { name: "x", typed_config: { "@type": router } } },
  },
  {
    rule: "structs merge by key",
    target: { metadata: { filter_metadata: { istio: { a: 1 } } } },
    source: { metadata: { filter_metadata: { other: { b: "2" } } } },
    merged: { metadata: { filter_metadata: { istio: { a: 1 }, other: { b: "2" } } } },
  },
  {
    rule: "an Any is replaced whole, also one of the same type",
    target: { upstream_config: { name: "x", typed_config: { "@type": lua, inline_code: "a" } } },
    source: { upstream_config: { name: "x", typed_config: { "@type": lua, stat_prefix: "b" } } },
    merged: { upstream_config: { name: "x", typed_config: { "@type": lua, stat_prefix: "b" } } },
  },
  {
    rule: "an empty Any of the same type changes nothing, and one of another type replaces",
    target: { upstream_config: { name: "x", typed_config: { "@type": lua, inline_code: "a" } } },
    source: { upstream_config: { name: "x", typed_config: { "@type": lua } } },
    merged: { upstream_config: { name: "x", typed_config: { "@type": lua, inline_code: "a" } } },
  },
];

test.each(rows)("in a merge $rule", ({ target, source, lists, merged }) => {
  const registry = envoyRegistry();
  const desc = registry.getMessage("envoy.config.cluster.v3.Cluster");
  assert(desc !== undefined, "Envoy has clusters");
  const message = fromJson(desc, target, { registry });
  const patch = fromJson(desc, source, { registry });
  const before = JSON.stringify(toJson(desc, patch, { registry }));
  mergeMessage(desc, message, patch, lists);
  expect(toJson(desc, message, { registry, useProtoFieldName: true })).toEqual(merged);
  // The patch is used for other resources too.
  mergeMessage(desc, message, fromJson(desc, { circuit_breakers: { thresholds: [{}] } }, { registry }));
  expect(JSON.stringify(toJson(desc, patch, { registry }))).toBe(before);
});
