import type { DocumentStore } from "../../lib/document-store.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Quarantine } from "../../pilot/xds/quarantine/quarantine.ts";
import { type Cluster, clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { EtcdDocumentStore } from "../shared-document/etcd-document-store.ts";
import { kubeDocumentStore } from "../shared-document/kube-document-store.ts";
import { configMapText, plainText } from "../shared-document/text-formats.ts";
import { type EtcdPlace, requireEtcd } from "../sources/etcd.ts";
import { fileTextStore } from "./file-text-store.ts";
import type { DocumentKeeper } from "../shared-document/document-keeper.ts";
import { keepRefusals } from "./shared-refusals.ts";

const part = "quarantine store";

const key = "refusals.json";

/** Keeps refused objects over a restart; undefined with `--quarantine-store off`. Throws `bad-option`. */
export function refusalKeeper(context: ProcessContext, quarantine: Quarantine | undefined): DocumentKeeper | undefined {
  const { options, supervisor, logs } = context;
  const place = options.quarantineStore;
  if (quarantine === undefined || place === "off") return undefined;
  const clock = supervisor.clockFor(part);
  const store = storeAt(context, place, clock);
  const onFailure = supervisor.reporterFor(part);
  return keepRefusals({ quarantine, store, clock, timeOfDay: Date.now, logger: logs.logger("xds"), onFailure });
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
  return new EtcdDocumentStore({ access, clock, prefix: `${prefix}-quarantine`, name: "refusals", format: plainText });
}

export function kubeRefusalStore(cluster: Cluster, name: string, clock: SupervisedClock): DocumentStore<string> {
  return kubeDocumentStore({ ...cluster, name, clock, format: configMapText(key) });
}
