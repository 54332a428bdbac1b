import type { DocumentStore } from "../../lib/document-store.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Quarantine } from "../../pilot/xds/quarantine/quarantine.ts";
import { type Cluster, clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { EtcdDocumentStore, type TextFormat } from "../shared-document/etcd-document-store.ts";
import { type DataFormat, kubeDocumentStore } from "../shared-document/kube-document-store.ts";
import { type EtcdPlace, requireEtcd } from "../sources/etcd.ts";
import { fileTextStore } from "./file-text-store.ts";
import { RefusalKeeper } from "./refusal-keeper.ts";

const part = "quarantine store";

const key = "refusals.json";

/** The keeper judges the text itself: it ignores a document that it cannot read. */
const asText: TextFormat<string> = { encode: (text) => text, decode: (text) => text };

const asConfigMap: DataFormat<string> = {
  kind: "ConfigMap",
  encode: (text) => new Map([[key, text]]),
  // An installer may have made an empty one.
  decode: (texts) => texts.get(key) || undefined,
};

/** Keeps refused objects over a restart; undefined with `--quarantine-store off`. Throws `bad-option`. */
export function refusalKeeper(context: ProcessContext, quarantine: Quarantine | undefined): RefusalKeeper | undefined {
  const { options, supervisor, logs } = context;
  const place = options.quarantineStore;
  if (quarantine === undefined || place === "off") return undefined;
  const clock = supervisor.clockFor(part);
  const store = storeAt(context, place, clock);
  const onFailure = supervisor.reporterFor(part);
  return new RefusalKeeper({ quarantine, store, clock, timeOfDay: Date.now, logger: logs.logger("xds"), onFailure });
}

function storeAt(context: ProcessContext, place: string, clock: SupervisedClock): DocumentStore<string> {
  const configMap = /^configmap:(.+)$/u.exec(place)?.[1];
  if (configMap !== undefined) {
    return kubeRefusalStore(clusterOf(context, { flag: "quarantine-store" }), configMap, clock);
  }
  if (place !== "etcd") return fileTextStore(place);
  return etcdRefusalStore(requireEtcd(context.options, "--quarantine-store etcd"), clock);
}

export function etcdRefusalStore({ prefix, ...access }: EtcdPlace, clock: SupervisedClock): DocumentStore<string> {
  return new EtcdDocumentStore({ access, clock, prefix: `${prefix}-quarantine`, name: "refusals", format: asText });
}

export function kubeRefusalStore(cluster: Cluster, name: string, clock: SupervisedClock): DocumentStore<string> {
  return kubeDocumentStore({ ...cluster, name, clock, format: asConfigMap });
}
