import { ListenerFilterSchema } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { HttpInspectorSchema } from "#gen/envoy/extensions/filters/listener/http_inspector/v3/http_inspector_pb.js";
import { OriginalDstSchema } from "#gen/envoy/extensions/filters/listener/original_dst/v3/original_dst_pb.js";
import { OriginalSrcSchema } from "#gen/envoy/extensions/filters/listener/original_src/v3/original_src_pb.js";
import { ProxyProtocolSchema } from "#gen/envoy/extensions/filters/listener/proxy_protocol/v3/proxy_protocol_pb.js";
import { TlsInspectorSchema } from "#gen/envoy/extensions/filters/listener/tls_inspector/v3/tls_inspector_pb.js";
import { memoize } from "../../../lib/memo.ts";
import type { ProtoWriter } from "../../../lib/proto-writer/proto-writer.ts";

/** Listener filters by the last part of their name. They run before Envoy chooses a chain. */
const configs = {
  original_dst: (writer: ProtoWriter) => writer.any(OriginalDstSchema, {}),
  // The socket mark of the proxy's own connections, for the redirect rules of the kernel.
  original_src: (writer: ProtoWriter) => writer.any(OriginalSrcSchema, { mark: 1337 }),
  proxy_protocol: (writer: ProtoWriter) => writer.any(ProxyProtocolSchema, {}),
  tls_inspector: (writer: ProtoWriter) => writer.any(TlsInspectorSchema, { initialReadBufferSize: 512 }),
  http_inspector: (writer: ProtoWriter) => writer.any(HttpInspectorSchema, {}),
};

export type ListenerFilterName = keyof typeof configs;

/** Ports on which a listener filter is disabled: these, or all but these. */
export interface DisabledPorts {
  readonly ports: readonly number[];
  readonly inverted: boolean;
}

/** An encoded listener filter; enabled on every port by default. */
export function listenerFilter(name: ListenerFilterName, writer: ProtoWriter, disabled?: DisabledPorts): Uint8Array {
  if (disabled === undefined) return encodeEnabled([writer], { name });
  const any = anyOf(disabled.ports.map(portRule));
  return encode(name, writer, disabled.inverted ? { rule: { case: "notMatch", value: any } } : any);
}

/** One encoding for all listeners. */
const encodeEnabled = memoize(([writer]: readonly [ProtoWriter], { name }: { readonly name: ListenerFilterName }) =>
  encode(name, writer, undefined),
);

type PortRule = ReturnType<typeof portRule>;
type AnyRule = PortRule | { readonly rule: { readonly case: "orMatch"; readonly value: { rules: PortRule[] } } };
type Rule = AnyRule | { readonly rule: { readonly case: "notMatch"; readonly value: AnyRule } };

function encode(name: ListenerFilterName, writer: ProtoWriter, filterDisabled: Rule | undefined): Uint8Array {
  return writer.encode(ListenerFilterSchema, {
    name: `envoy.filters.listener.${name}`,
    configType: { case: "typedConfig", value: configs[name](writer) },
    filterDisabled,
  });
}

/** Ranges end before their `end`. */
function portRule(port: number) {
  return { rule: { case: "destinationPortRange", value: { start: port, end: port + 1 } } } as const;
}

function anyOf(rules: PortRule[]): AnyRule {
  const [only] = rules;
  return only !== undefined && rules.length === 1 ? only : { rule: { case: "orMatch", value: { rules } } };
}

/** Balances connections exactly between the proxy's worker threads. */
export const exactBalance = { balanceType: { case: "exactBalance", value: {} } } as const;
