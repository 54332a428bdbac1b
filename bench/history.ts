import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openHistory } from "../src/app/history/segment-store.ts";
import { churnedDay } from "../src/testing/history/churned-day.ts";
import { benchTable } from "./bench-table.ts";
import { cpuMs } from "./cpu.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const day = { seconds: 86_400, objects: 1_000, changes: 10_000, proxies: 1_000 };
const questions = 200;

/** Writes the history of a day in memory, and reconstructs seconds of it, each with a history that knows nothing. */
export async function history(): Promise<string> {
  const written = process.cpuUsage();
  const { store, proxyBytes, begin, end } = await churnedDay(day);
  const writingMs = cpuMs(written);
  const costs: number[] = [];
  for (let question = 0; question < questions; question += 1) {
    // Prime to the number of seconds: spread over the whole day.
    const at = begin + ((question * 7_919_000) % (end - begin));
    // The garbage of the day before is not part of the question.
    collectGarbage();
    const asked = process.cpuUsage();
    const log = await openHistory(store);
    const mesh = await log.at({ type: "time", at });
    const fleet = await log.fleetAt({ type: "time", at });
    costs.push(cpuMs(asked));
    if (mesh?.entries.size !== day.objects || fleet === undefined) throw new Error(`the history lost second ${at}`);
  }
  const sorted = costs.toSorted((a, b) => a - b);
  const ms = (share: number) => `${(sorted[Math.ceil(share * questions) - 1] ?? 0).toFixed(1)} ms`;
  return benchTable(
    ["objects", "changes", "proxies", "log", "of it proxies", "segments", "CPU p50", "p99", "most", "CPU of writing"],
    [
      [
        String(day.objects),
        String(day.changes),
        String(day.proxies),
        mebibytes(store.bytes),
        mebibytes(proxyBytes),
        String(store.texts.size),
        ms(0.5),
        ms(0.99),
        ms(1),
        `${(writingMs / 1000).toFixed(1)} s`,
      ],
    ],
  );
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
