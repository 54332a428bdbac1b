import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { ListenerFilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import { decodedMessage } from "../../../../testing/envoy/decoded-resource.ts";
import type { ChainMatch } from "../chain-match.ts";
import { matchAll, plainHttp } from "../chain-match.ts";
import { inspectorsFor } from "./inspectors.ts";

const tls: ChainMatch = { ...matchAll, transportProtocol: "tls" };
const raw: ChainMatch = { ...matchAll, transportProtocol: "raw_buffer" };
const sniffed: ChainMatch = { ...raw, applicationProtocols: plainHttp };

function on(destinationPort: number, match: ChainMatch): ChainMatch {
  return { ...match, destinationPort };
}

function range(start: number) {
  return { destinationPortRange: { ...(start > 0 && { start }), end: start + 1 } };
}

/** By the short name of each inspector: the ports where it is disabled. */
function inspectors(...matches: readonly ChainMatch[]) {
  return inspectorsFor(matches, new ProtoWriter()).map((bytes) => {
    const { name } = fromBinary(ListenerFilterSchema, bytes);
    return [name.split(".").at(-1), decodedMessage(ListenerFilterSchema, bytes)["filterDisabled"]];
  });
}

test("a listener has no inspectors if no chain needs them", () => {
  expect(inspectors(raw, on(80, raw))).toEqual([]);
});

test("ports whose chains need no inspectors disable them", () => {
  expect(inspectors(tls, sniffed, on(80, raw))).toEqual([
    ["tls_inspector", range(80)],
    ["http_inspector", range(80)],
  ]);
});

test("several such ports are listed in order", () => {
  expect(inspectors(sniffed, on(90, raw), on(80, raw))).toEqual([
    ["http_inspector", { orMatch: { rules: [range(80), range(90)] } }],
  ]);
});

test("the TLS inspector runs only on the ports that need it", () => {
  expect(inspectors(raw, on(80, tls), on(90, raw))).toEqual([["tls_inspector", { notMatch: range(80) }]]);
});

test("one port that needs an inspector adds it", () => {
  expect(inspectors(tls, on(80, sniffed))).toEqual([
    ["tls_inspector", range(80)],
    ["http_inspector", range(0)],
  ]);
});
