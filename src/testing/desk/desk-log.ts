import { historyReader } from "../../app/history/history-reader.ts";
import { loggedProxy } from "../../app/history/logged-proxy.ts";
import { segmentName } from "../../app/history/segment-store.ts";
import type { DeskHistory } from "../../desk/api/desk-history.ts";
import { FleetWriter } from "../../history/fleet-writer.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import { configsIn } from "../config/configs-in.ts";
import { MemorySegments } from "../history/memory-segments.ts";
import { segmentRecords } from "../history/written-segment.ts";

/** A log that begins with objects and proxies. Each later object is a moment of its own: 2, 3, and so on. */
export async function deskLog(begin: string, later: string, proxies: Iterable<Proxy>): Promise<DeskHistory> {
  const changes = configsIn(later);
  const records = segmentRecords(configsIn(begin), changes);
  const came = Array.from(proxies, loggedProxy);
  const fleet = new FleetWriter().change({ at: 1_000, moment: 1, came, gone: [], behind: [], current: [] });
  const store = new MemorySegments();
  const text = [...records.slice(0, -changes.length), fleet, ...records.slice(-changes.length)].join("");
  await store.append(segmentName({ number: 1, at: 1_000 }, "00000000"), text);
  return historyReader("history", store);
}
