import type { Any } from "@bufbuild/protobuf/wkt";
import type { Filter } from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import { envoyRegistry } from "../envoy-registry.ts";
import { typeNameOf } from "../merge-any.ts";
import type { PatchProblem } from "../patch-run.ts";

const network = "envoy.extensions.filters.network";

/** Network filters that end a chain. */
const terminalNetworkTypes: ReadonlySet<string> = new Set([
  `${network}.http_connection_manager.v3.HttpConnectionManager`,
  `${network}.http_connection_manager.v3.EnvoyMobileHttpConnectionManager`,
  `${network}.tcp_proxy.v3.TcpProxy`,
  `${network}.redis_proxy.v3.RedisProxy`,
  `${network}.thrift_proxy.v3.ThriftProxy`,
  `${network}.dubbo_proxy.v3.DubboProxy`,
  `${network}.generic_proxy.v3.GenericProxy`,
  `${network}.echo.v3.Echo`,
  `${network}.direct_response.v3.Config`,
]);

const terminalHttpTypes: ReadonlySet<string> = new Set(["envoy.extensions.filters.http.router.v3.Router"]);

/** A network or HTTP filter. */
interface AnyFilter {
  readonly name: string;
  readonly configType: Filter["configType"] | { readonly case: string | undefined; readonly value?: unknown };
}

/** Envoy refuses a chain whose last filter cannot end it, or that goes on after such a filter. */
export function networkOrder(filters: readonly AnyFilter[], path: string): readonly PatchProblem[] {
  return orderProblems(filters, path, terminalNetworkTypes);
}

export function httpOrder(filters: readonly AnyFilter[], path: string): readonly PatchProblem[] {
  return orderProblems(filters, path, terminalHttpTypes);
}

function orderProblems(
  filters: readonly AnyFilter[],
  path: string,
  terminal: ReadonlySet<string>,
): readonly PatchProblem[] {
  const last = filters.length - 1;
  if (last === -1) return [{ path, reason: "is empty" }];
  return filters.flatMap(({ name, configType }, index) => {
    const type = typeOf(configType);
    // Only Envoy knows filters of other types.
    if (type === undefined || envoyRegistry().getMessage(type) === undefined) return [];
    if (terminal.has(type) === (index === last)) return [];
    const reason = index === last ? "is the last filter and not a terminal one" : "is terminal and not the last filter";
    return [{ path: `${path}[${index}]`, reason: `${name} ${reason}` }];
  });
}

/** Undefined for a filter that is configured elsewhere, or by a TypedStruct. */
function typeOf(configType: AnyFilter["configType"]): string | undefined {
  if (configType.case !== "typedConfig") return undefined;
  const type = typeNameOf(configType.value as Any);
  return type.endsWith(".TypedStruct") ? undefined : type;
}
