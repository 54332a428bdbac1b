import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { type ClientConfig, ClientConfigSchema, ConfigStatus } from "#gen/envoy/service/status/v3/csds_pb.js";
import { compareTexts } from "../../lib/compare.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { type SyncStatus, syncStatusOf } from "../../pilot/xds/status/sync-status.ts";
import type { Connection } from "../../xds/connection.ts";
import type { Subscription } from "../../xds/subscription/subscription.ts";
import { proxyVersion } from "../pilot/proxy-version.ts";
import type { PilotState } from "../state.ts";

const statuses: Readonly<Record<SyncStatus, ConfigStatus>> = {
  SYNCED: ConfigStatus.SYNCED,
  STALE: ConfigStatus.STALE,
  "NOT SENT": ConfigStatus.NOT_SENT,
  ERROR: ConfigStatus.ERROR,
  IGNORED: ConfigStatus.UNKNOWN,
};

/** The sync state of a proxy for each type, in the format of `istioctl proxy-status`. */
export function clientConfig({ client, subscriptions }: Connection<Proxy>, timeOf: PilotState["timeOf"]): ClientConfig {
  const metadata = {
    CLUSTER_ID: client.clusterId,
    NAMESPACE: client.namespace,
    ISTIO_VERSION: proxyVersion(client),
  };
  return create(ClientConfigSchema, {
    node: { id: client.id, metadata },
    genericXdsConfigs: subscriptions
      .toSorted((a, b) => compareTexts(a.type.typeUrl, b.type.typeUrl))
      .map((subscription) => typeConfig(subscription, timeOf)),
  });
}

function typeConfig(
  subscription: Subscription,
  timeOf: PilotState["timeOf"],
): NonNullable<MessageInitShape<typeof ClientConfigSchema>["genericXdsConfigs"]>[number] {
  const { type, sentAt, error } = subscription;
  const lastUpdated = sentAt === undefined ? undefined : timestampFromDate(timeOf(sentAt));
  return {
    typeUrl: type.typeUrl,
    configStatus: statuses[syncStatusOf(subscription)],
    ...(lastUpdated && { lastUpdated }),
    ...(error !== undefined && {
      errorState: { details: error, ...(lastUpdated && { lastUpdateAttempt: lastUpdated }) },
    }),
  };
}
