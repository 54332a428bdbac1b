import type { Config } from "../../config/config.ts";
import { configKey } from "../../config/config.ts";
import { SegmentWriter } from "../../history/segment-writer.ts";
import { collectionOf } from "../config/configs-in.ts";

/** The settings of a server that keeps its defaults. */
export const defaultSettings = {
  domain: "cluster.local",
  clusterId: "Kubernetes",
  scopeGatewayToNamespace: false,
  workloadHealth: true,
};

/** The records of a segment: the first objects are in force at its begin, and each next one is a moment of its own. */
export function segmentRecords(inForce: readonly Config[], later: readonly Config[]): readonly string[] {
  const writer = new SegmentWriter({ number: 1, at: 1_000 });
  const state = new Map<string, Config>();
  const records = [writer.head(defaultSettings)];
  for (const config of inForce) {
    state.set(configKey(config), config);
    records.push(writer.hold({ collection: collectionOf(config), config }, undefined));
  }
  records.push(writer.holdEnd());
  for (const [index, after] of later.entries()) {
    const key = configKey(after);
    records.push(
      writer.moment(2_000 + index, "change", [{ collection: collectionOf(after), key, before: state.get(key), after }]),
    );
    state.set(key, after);
  }
  return records;
}
