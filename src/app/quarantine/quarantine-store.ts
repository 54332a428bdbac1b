import { MeshError } from "../../lib/errors.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { Quarantine } from "../../pilot/xds/quarantine/quarantine.ts";
import { clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { etcdPlace } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { EtcdTextStore } from "./etcd-text-store.ts";
import { fileTextStore } from "./file-text-store.ts";
import { kubeTextStore } from "./kube-text-store.ts";
import { RefusalKeeper } from "./refusal-keeper.ts";
import type { TextStore } from "./text-store.ts";

/** Like the status of objects, refusals are written beside the pipeline. */
const part = "status";

/** Keeps refused objects over a restart; undefined with `--quarantine-store off`. Throws `bad-option`. */
export function refusalKeeper(context: ProcessContext, quarantine: Quarantine | undefined): RefusalKeeper | undefined {
  const { options, supervisor, logs } = context;
  const place = options.quarantineStore;
  if (quarantine === undefined || place === "off") return undefined;
  const clock = supervisor.clockFor(part);
  const store = storeAt(context, place, clock);
  return new RefusalKeeper({ quarantine, store, clock, timeOfDay: Date.now, logger: logs.logger("xds") });
}

function storeAt(context: ProcessContext, place: string, clock: SupervisedClock): TextStore {
  const configMap = /^configmap:(.+)$/u.exec(place)?.[1];
  if (configMap !== undefined) {
    return kubeTextStore({ ...clusterOf(context, { flag: "quarantine-store" }), clock, name: configMap });
  }
  if (place !== "etcd") return fileTextStore(place);
  const urls = context.options.sources.map(parseSourceUrl);
  const url = urls.find(({ scheme }) => scheme === "etcd" || scheme === "etcds");
  if (url === undefined) throw new MeshError("bad-option", "--quarantine-store etcd needs a --source etcd: or etcds:");
  return new EtcdTextStore(etcdPlace(url), clock);
}
