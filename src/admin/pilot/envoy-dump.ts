import { create, createRegistry, type DescMessage, type MessageInitShape } from "@bufbuild/protobuf";
import { type Any, anyPack, StringValueSchema, timestampFromDate } from "@bufbuild/protobuf/wkt";
import { BootstrapConfigDumpSchema, SecretsConfigDumpSchema } from "#gen/envoy/admin/v3/config_dump_pb.js";
import {
  ClustersConfigDumpSchema,
  EcdsConfigDumpSchema,
  EndpointsConfigDumpSchema,
  ListenersConfigDumpSchema,
  RoutesConfigDumpSchema,
  ScopedRoutesConfigDumpSchema,
} from "#gen/envoy/admin/v3/config_dump_shared_pb.js";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { rejectedIn } from "../../pilot/xds/status/rejections.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import {
  clusterType,
  endpointType,
  extensionType,
  listenerType,
  routeType,
  secretType,
  virtualHostType,
} from "../../xds/type-urls.ts";
import { routesOfHost } from "../../xds/virtual-hosts/host-name.ts";
import { envoyTypes } from "../resource/envoy-types.ts";
import { publicAny } from "../resource/resource-json.ts";
import type { PilotState } from "../state.ts";
import { sentResources } from "./resources.ts";

/** The sections of a dump, and all message types in them. */
export const dumpTypes = createRegistry(
  ...envoyTypes,
  BootstrapConfigDumpSchema,
  ClustersConfigDumpSchema,
  EndpointsConfigDumpSchema,
  ListenersConfigDumpSchema,
  ScopedRoutesConfigDumpSchema,
  RoutesConfigDumpSchema,
  SecretsConfigDumpSchema,
  EcdsConfigDumpSchema,
  // Stands in for a message that cannot be decoded.
  StringValueSchema,
);

export interface DumpOptions {
  readonly endpoints: boolean;
}

/**
 * The resources sent to a proxy in the format of Envoy's `/config_dump`, without secrets. `istioctl` reads the dump and
 * compares it with the proxy's own.
 */
export function envoyDump(
  { subscriptions }: Connection<Proxy>,
  { timeOf }: Pick<PilotState, "timeOf">,
  { endpoints }: DumpOptions,
): readonly Any[] {
  const entriesOf = (typeUrl: string) => {
    const subscription = subscriptions.find(({ type }) => type.typeUrl === typeUrl);
    return subscription === undefined ? [] : entriesIn(subscription, subscriptions, timeOf);
  };
  const resources = (typeUrl: string, field: string) =>
    entriesOf(typeUrl).map(({ any, ...entry }) => ({ ...entry, [field]: any }));
  const listeners = entriesOf(listenerType).map(({ name, any, errorState, ...entry }) => ({
    name,
    activeState: { ...entry, listener: any },
    ...(errorState && { errorState }),
  }));
  return [
    section(BootstrapConfigDumpSchema, {}),
    section(ClustersConfigDumpSchema, { dynamicActiveClusters: resources(clusterType, "cluster") }),
    ...(endpoints
      ? [section(EndpointsConfigDumpSchema, { dynamicEndpointConfigs: resources(endpointType, "endpointConfig") })]
      : []),
    section(ListenersConfigDumpSchema, { dynamicListeners: listeners }),
    section(ScopedRoutesConfigDumpSchema, {}),
    section(RoutesConfigDumpSchema, { dynamicRouteConfigs: resources(routeType, "routeConfig") }),
    section(SecretsConfigDumpSchema, { dynamicActiveSecrets: resources(secretType, "secret") }),
    section(EcdsConfigDumpSchema, { ecdsFilters: resources(extensionType, "ecdsFilter") }),
  ];
}

/** The resources of some types only, by short name: `eds`, `nds`, … */
export function rawResources({ subscriptions }: Connection<Proxy>, shortNames: readonly string[]): readonly Any[] {
  return subscriptions
    .filter(({ type }) => shortNames.includes(type.shortName.toLowerCase()))
    .flatMap((subscription) => sentResources(subscription, subscriptions).map(({ entry }) => publicAny(entry)));
}

function section<Desc extends DescMessage>(schema: Desc, content: MessageInitShape<Desc>): Any {
  return anyPack(schema, create(schema, content));
}

function entriesIn(subscription: Subscription, all: readonly Subscription[], timeOf: PilotState["timeOf"]) {
  const { sentAt } = subscription;
  const lastUpdated = sentAt === undefined ? undefined : timestampFromDate(timeOf(sentAt));
  const rejected = new Map([...rejectedHosts(subscription, all), ...rejectedNames(subscription)]);
  return sentResources(subscription, all).map(({ name, version, entry }: Resource) => {
    const details = rejected.get(name);
    return {
      name,
      any: publicAny(entry),
      versionInfo: version,
      ...(lastUpdated && { lastUpdated }),
      ...(details !== undefined && { errorState: { details, versionInfo: version } }),
    };
  });
}

function rejectedNames(subscription: Subscription): readonly (readonly [name: string, message: string])[] {
  return rejectedIn(subscription).flatMap(({ resources, message }) =>
    resources.map((name) => [name, message] as const),
  );
}

/** Routes with a rejected virtual host, where hosts are resources. A dump has no place for them alone. */
function rejectedHosts({ type }: Subscription, all: readonly Subscription[]) {
  const hosts = all.find((each) => type.typeUrl === routeType && each.type.typeUrl === virtualHostType);
  return (hosts === undefined ? [] : rejectedNames(hosts)).map(
    ([name, message]) => [routesOfHost(name), message] as const,
  );
}
