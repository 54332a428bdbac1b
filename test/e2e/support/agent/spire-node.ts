import { copyFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { peerPath } from "../../../../scripts/peer.ts";
import type { Step } from "../documents/recipe.ts";
import { RecipeRunner } from "../documents/recipe-runner.ts";
import type { Pod } from "../pod/pod.ts";

const socketFolder = "var/run/secrets/workload-spiffe-uds";
/** Where pods find SPIRE's commands. */
const commands = "opt/spire";

/**
 * Runs a SPIRE agent on the node of a pod, which sees its socket at the place of Istio. A CSI driver would mount it.
 *
 * @param server the folder with the bundle and the join tokens
 */
export async function startSpireAgent(pod: Pod, server: string, steps: readonly Step[]): Promise<RecipeRunner> {
  const agent = join(await peerPath("spire"), "spire-agent");
  pod.files.makeFolder(socketFolder);
  const runner = new RecipeRunner({ "spire-agent": agent }, { shell: pod.inside("bash") });
  copyFileSync(join(server, "bundle.pem"), join(runner.folder, "bundle.pem"));
  copyFileSync(join(server, `${pod.name}.token`), join(runner.folder, "node.token"));
  // The mounts are those of the shell alone, so that each node has its own `/run`.
  const mounts = [
    "mount -t tmpfs none /run",
    "mkdir -p /run/spire/sockets",
    `mount --bind ${join(pod.files.root, socketFolder)} /run/spire/sockets`,
  ];
  const script = `${mounts.join(" && ")}\n`;
  await runner.follow([{ type: "run", line: 0, script, eventually: false, output: [] }, ...steps]);
  return runner;
}

/** Runs the scripts of the steps in the pod, as the user of Istio's proxy. */
export async function runInPod(pod: Pod, steps: readonly Step[]): Promise<void> {
  const target = join(pod.files.root, commands);
  mkdirSync(target, { recursive: true });
  cpSync(join(await peerPath("spire"), "spire-agent"), join(target, "spire-agent"));
  for (const step of steps) {
    if (step.type !== "run") throw new Error(`line ${step.line} is not a script that ends`);
    const shell = ["/bin/bash", "-ec", step.script];
    const child = await pod.startContained(shell, {
      user: 1337,
      env: { PATH: `/${commands}:/usr/sbin:/usr/bin:/sbin:/bin` },
    });
    const code = await child.exited;
    if (code !== 0) throw new Error(`${step.script}ended with ${code}:\n${child.log()}`);
  }
}
