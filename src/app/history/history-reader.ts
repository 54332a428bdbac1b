import { publicJson } from "../../admin/resource/resource-json.ts";
import type { DeskHistory } from "../../desk/api/desk-history.ts";
import { secretType } from "../../xds/type-urls.ts";
import { historyStore } from "./history-store.ts";
import { proxyIn } from "./logged-proxy.ts";
import { generateMoment } from "./proxy-resources-at.ts";
import { openHistory, type SegmentStore } from "./segment-store.ts";

/** Reads the log of a directory or an etcd, also while a server writes it. */
export function historyReader(
  directory: string,
  store: Pick<SegmentStore, "list" | "read"> = historyStore(directory),
): DeskHistory {
  return {
    directory,
    open: () => openHistory(store),
    async resourcesAt(mesh, logged) {
      const proxy = proxyIn(logged);
      if (proxy === undefined) return [];
      const { offline } = await generateMoment(mesh);
      const types = offline.resourcesFor(proxy).filter(({ typeUrl }) => typeUrl !== secretType);
      return types.flatMap(({ shortName: type, resources }) =>
        resources.map(({ name, version, entry }) => ({ type, name, version, message: () => publicJson(entry) })),
      );
    },
  };
}
