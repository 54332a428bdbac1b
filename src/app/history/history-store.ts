import { MeshError } from "../../lib/errors.ts";
import type { Options } from "../options/options.ts";
import { etcdPlace, firstEtcd } from "../sources/etcd.ts";
import { parseSourceUrl } from "../sources/source-url.ts";
import { EtcdSegments } from "./etcd-segments.ts";
import { FileSegments } from "./file-segments.ts";
import type { SegmentStore } from "./segment-store.ts";

/** The store that `--history` names: a directory, or an etcd. Throws `bad-option`. */
export function historyStore(place: string): SegmentStore {
  return isEtcd(place) ? new EtcdSegments(placeIn(place)) : new FileSegments(place);
}

/** The same for a server. A source must not read the keys of the history. */
export function serverHistoryStore({ history, sources }: Pick<Options, "history" | "sources">): SegmentStore {
  const prefix = firstEtcd({ sources })?.prefix;
  if (isEtcd(history) && prefix !== undefined && `${placeIn(history).prefix}/`.startsWith(`${prefix}/`)) {
    throw new MeshError(
      "bad-option",
      `--history: choose a prefix that is not below ${prefix}, where a --source has its objects`,
    );
  }
  return historyStore(history);
}

function isEtcd(place: string): boolean {
  return /^etcds?:/u.test(place);
}

function placeIn(text: string) {
  try {
    return etcdPlace(parseSourceUrl(text));
  } catch (thrown) {
    const { code, message } = MeshError.from(thrown);
    throw new MeshError(code, message.replace(/^--source /u, "--history "), { cause: thrown });
  }
}
