import { setTimeout as pause } from "node:timers/promises";
import type { RotationReport } from "../../../../src/admin/pilot/ca-rotation.ts";
import { checkProbeFile } from "../../../../src/admin/probes/check-probe-file.ts";
import { eventually } from "../../../../src/testing/eventually.ts";
import type { Random } from "../../../../src/testing/random/random.ts";
import { TempTree } from "../../../../src/testing/temp-tree.ts";
import { ask, askPatiently } from "../../support/http.ts";
import { atScale } from "../../support/scale.ts";
import type { FaultOutcome } from "../fault.ts";
import { writtenFiles } from "../host/written-files.ts";
import { FaultedServer } from "../oracle/faulted-server.ts";

const deaths = atScale({ quick: 1, whole: 20 });

async function rootsOf({ process }: FaultedServer): Promise<RotationReport> {
  const { body } = await askPatiently("GET", process.httpPort, "/debug/ca/rotation");
  return JSON.parse(body) as RotationReport;
}

/** The certificates of workloads before the kill and after it must trust each other. */
function refusals(before: RotationReport, after: RotationReport): readonly string[] {
  return [
    ...(trusts(after, before) ? [] : [`the root of phase ${before.phase} is not trusted in phase ${after.phase}`]),
    ...(trusts(before, after) ? [] : [`the root of phase ${after.phase} was not trusted in phase ${before.phase}`]),
  ];
}

/** Kills servers while they start, while they write new roots and probe files, and while they serve. */
export async function killWriters(random: Random): Promise<FaultOutcome> {
  await using closing = new AsyncDisposableStack();
  const folder = await TempTree.create();
  closing.defer(() => folder.close());
  const args = Object.values(writtenFiles).flatMap(({ flags }) => flags(folder.directory));
  await using server = await FaultedServer.start({ args });
  const findings: string[] = [];
  let worst = 0;
  for (let death = 0; death < deaths; death++) {
    const before = await rootsOf(server);
    // In the middle of it the server dies, and so does the call.
    ask("POST", server.process.httpPort, "/debug/ca/rotation", { body: "command=rotate" }).catch(() => undefined);
    await pause(random.below(40));
    await server.kill();
    await server.dieAtStart(random.below(1_500));
    const killedAt = performance.now();
    await server.restart();
    server.edit();
    await server.recovered({ seconds: 30 });
    worst = Math.max(worst, (performance.now() - killedAt) / 1000);
    findings.push(...refusals(before, await rootsOf(server)));
  }
  await eventually("the readiness file is fresh", () => isFresh(folder.path("ready")), { seconds: 10 });
  return await server.outcome(worst, findings);
}

function isFresh(file: string): boolean {
  return checkProbeFile({ file, intervalMs: 1_000, now: Date.now() }) === undefined;
}

function trusts({ trusted }: RotationReport, { signing }: RotationReport): boolean {
  return trusted.some(({ fingerprint }) => fingerprint === signing.at(-1)?.fingerprint);
}
