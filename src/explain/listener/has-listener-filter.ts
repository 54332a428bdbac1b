import type { DescMessage } from "@bufbuild/protobuf";
import { anyIs } from "@bufbuild/protobuf/wkt";
import type {
  ListenerFilter,
  ListenerFilterChainMatchPredicate,
} from "#gen/envoy/config/listener/v3/listener_components_pb.js";
import type { Listener } from "#gen/envoy/config/listener/v3/listener_pb.js";

/** Whether the listener has the filter, on this port if one is given. */
export function hasListenerFilter({ listenerFilters }: Listener, schema: DescMessage, port?: number): boolean {
  return listenerFilters.some((filter) => isOfType(filter, schema) && !isDisabled(filter, port));
}

function isOfType({ configType }: ListenerFilter, schema: DescMessage): boolean {
  return configType.case === "typedConfig" && anyIs(configType.value, schema);
}

function isDisabled({ filterDisabled }: ListenerFilter, port: number | undefined): boolean {
  return filterDisabled !== undefined && port !== undefined && holds(filterDisabled, port);
}

function holds({ rule }: ListenerFilterChainMatchPredicate, port: number): boolean {
  switch (rule.case) {
    case "orMatch":
      return rule.value.rules.some((part) => holds(part, port));
    case "andMatch":
      return rule.value.rules.every((part) => holds(part, port));
    case "notMatch":
      return !holds(rule.value, port);
    case "anyMatch":
      return rule.value;
    case "destinationPortRange":
      return rule.value.start <= port && port < rule.value.end;
    case undefined:
    default:
      return false;
  }
}
