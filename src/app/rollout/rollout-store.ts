import type { DocumentStore } from "../../lib/document-store.ts";
import type { SupervisedClock } from "../../lib/supervisor.ts";
import type { StagedRollouts } from "../../pilot/xds/rollout/staged-rollouts.ts";
import { clusterOf } from "../kube/elected.ts";
import type { ProcessContext } from "../parts/process-part.ts";
import { fileTextStore } from "../quarantine/file-text-store.ts";
import { EtcdDocumentStore } from "../shared-document/etcd-document-store.ts";
import { kubeDocumentStore } from "../shared-document/kube-document-store.ts";
import { configMapText, plainText } from "../shared-document/text-formats.ts";
import { requireEtcd } from "../sources/etcd.ts";
import type { DocumentKeeper } from "../shared-document/document-keeper.ts";
import { keepRollouts } from "./shared-rollouts.ts";

const part = "rollout store";

/** Keeps staged rollouts over a restart; undefined with `--rollout-store off`. Throws `bad-option`. */
export function rolloutKeeper(
  context: ProcessContext,
  rollouts: StagedRollouts | undefined,
): DocumentKeeper | undefined {
  const { options, supervisor, logs } = context;
  const place = options.rolloutStore;
  if (rollouts === undefined || place === "off") return undefined;
  const clock = supervisor.clockFor(part);
  const store = storeAt(context, place, clock);
  const onFailure = supervisor.reporterFor(part);
  return keepRollouts({ rollouts, store, clock, timeOfDay: Date.now, logger: logs.logger("xds"), onFailure });
}

function storeAt(context: ProcessContext, place: string, clock: SupervisedClock): DocumentStore<string> {
  const name = /^configmap:(.+)$/u.exec(place)?.[1];
  if (name !== undefined) {
    return kubeDocumentStore({
      ...clusterOf(context, { flag: "rollout-store" }),
      name,
      clock,
      format: configMapText("rollouts.json"),
    });
  }
  if (place !== "etcd") return fileTextStore(place);
  const { prefix, ...access } = requireEtcd(context.options, "--rollout-store etcd");
  return new EtcdDocumentStore({ access, clock, prefix: `${prefix}-rollouts`, name: "rollouts", format: plainText });
}
