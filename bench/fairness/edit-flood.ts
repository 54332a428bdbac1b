/** A tenant that edits without a pause: `node bench/fairness/edit-flood.ts DIRECTORY EDITS_PER_SECOND`. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { tenantEntry } from "./tenant-entry.ts";

const [, , directory = "", perSecond = "1000"] = process.argv;
const tenant = join(directory, "loud");
const startedAt = performance.now();
for (let edits = 0; ; ) {
  const due = ((performance.now() - startedAt) / 1000) * Number(perSecond);
  for (; edits < due; edits += 1) {
    writeFileSync(join(tenant, "unfinished"), tenantEntry("loud", edits % 100, edits));
    renameSync(join(tenant, "unfinished"), join(tenant, `${edits % 100}.yaml`));
  }
  await pause(1);
}
