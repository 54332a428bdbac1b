/**
 * `npm run zero-drop`, `identity`, `rotation`, `abuse`, `soak`, `long-life`, `mcp-faults`, `zookeeper`, `kube-outage`, `etcd`, `crowd`,
 * `planted`, `desk`, `root-rotation`, `faults`, `quarantine`, `rollout`, `upgrade`: a proof at its full size, of which `npm test` runs a part. More
 * arguments go to vitest. `BINNACLE_SEED=N` repeats the random choices of a run.
 */
import { spawnSync } from "node:child_process";

const proofs: Readonly<Record<string, { readonly projects: readonly string[]; readonly files: readonly string[] }>> = {
  "zero-drop": { projects: ["load"], files: ["test/e2e/zero-drop.test.ts"] },
  identity: { projects: ["load"], files: ["test/e2e/identity.test.ts"] },
  rotation: { projects: ["load"], files: ["test/e2e/rotation.test.ts"] },
  abuse: { projects: ["load"], files: ["test/e2e/abuse.test.ts"] },
  soak: { projects: ["e2e"], files: ["test/e2e/soak.test.ts"] },
  "long-life": { projects: ["e2e"], files: ["test/e2e/long-life.test.ts"] },
  "mcp-faults": { projects: ["e2e"], files: ["test/e2e/mcp-faults.test.ts"] },
  "kube-outage": { projects: ["e2e"], files: ["test/e2e/kube-mesh.test.ts"] },
  etcd: { projects: ["e2e"], files: ["test/e2e/etcd-source.test.ts"] },
  zookeeper: { projects: ["e2e"], files: ["test/e2e/zookeeper-ensemble.test.ts"] },
  "root-rotation": { projects: ["e2e"], files: ["test/e2e/root-rotation.test.ts"] },
  faults: { projects: ["e2e"], files: ["test/e2e/faults.test.ts"] },
  rollout: { projects: ["e2e"], files: ["test/e2e/rollout.test.ts"] },
  quarantine: { projects: ["e2e"], files: ["test/e2e/quarantine.test.ts"] },
  desk: { projects: ["e2e"], files: ["test/e2e/desk/stories.test.ts"] },
  upgrade: { projects: ["e2e"], files: ["test/e2e/upgrade.test.ts"] },
  planted: { projects: ["scenarios"], files: ["test/scenarios/planted-errors.test.ts"] },
  crowd: {
    projects: ["unit", "e2e"],
    files: ["src/config/analysis/scale.test.ts", "test/e2e/crowded-server.test.ts"],
  },
};

const [name = "", ...rest] = process.argv.slice(2);
const proof = proofs[name];
if (proof === undefined) throw new Error(`expected one of ${Object.keys(proofs).join(", ")}, found "${name}"`);

const env = { ...process.env, BINNACLE_WHOLE: "1" };
const projects = proof.projects.flatMap((project) => ["--project", project]);
const args = ["run", ...projects, "--testTimeout", "3600000", ...proof.files, ...rest];
const result = spawnSync("vitest", args, { stdio: "inherit", env });
process.exitCode = result.status ?? 1;
