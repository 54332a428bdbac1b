import { readFileSync } from "node:fs";
import { join } from "node:path";
import { TempTree } from "../../../../src/testing/temp-tree.ts";
import { binnacle } from "../../support/binnacle/command.ts";
import type { FaultOutcome } from "../fault.ts";
import { SmallDisk } from "./small-disk.ts";

const group = {
  apiVersion: "networking.istio.io/v1",
  kind: "WorkloadGroup",
  metadata: { name: "vm", namespace: "shop" },
  spec: { template: { serviceAccount: "vm" } },
};
/** The command reads its claims only. */
const claims = { sub: "system:serviceaccount:shop:vm", exp: 32_503_680_000 };
const token = ["e30", Buffer.from(JSON.stringify(claims)).toString("base64url"), "c2ln"].join(".");

const names = ["cluster.env", "hosts", "istio-token", "mesh.yaml", "root-cert.pem"];

/** `workload configure` with disks that take no data: an error names the directory, and no half set of files is left. */
export async function configureWithoutSpace(): Promise<FaultOutcome> {
  await using closing = new AsyncDisposableStack();
  const tree = await TempTree.create();
  closing.defer(() => tree.close());
  await tree.write("mesh/group.yaml", JSON.stringify(group));
  await tree.write("vm.jwt", token);
  await tree.write("root.pem", "ROOT\n");
  const files = ["--token", tree.path("vm.jwt"), "--root-cert", tree.path("root.pem"), "--ingress-ip", "10.0.0.5"];
  const findings: string[] = [];
  let worst = 0;
  for (const kind of ["full", "read-only", "empty"] as const) {
    using disk = new SmallDisk(kind);
    // The disk ends with its process, so a shell lists the files before.
    const output = join(disk.path, "vm");
    const listing = tree.path(`listing-${kind}`);
    const within = [
      ...disk.within,
      "sh",
      "-c",
      `"$@"; code=$?; ls -A "${output}" > "${listing}" 2>&1; exit $code`,
      "sh",
    ];
    const startedAt = performance.now();
    const args = ["workload", "configure", "vm", "-n", "shop", tree.path("mesh"), "--output", output, ...files];
    await using child = binnacle(args, { within });
    const code = await child.exited;
    worst = Math.max(worst, (performance.now() - startedAt) / 1000);
    const written = readFileSync(listing, "utf8");
    const hasAll = names.every((name) => written.includes(name));
    const hasNone = names.every((name) => !written.includes(name));
    const isRefused = code !== 0 && child.log().includes(output);
    const isGood = kind === "empty" ? code === 0 && hasAll : isRefused && hasNone;
    if (!isGood) findings.push(`${kind}: exit ${code}: ${child.log()}: ${written}`);
  }
  return { recoverySeconds: worst, lost: 0, findings };
}
