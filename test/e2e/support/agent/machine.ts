import { chmodSync, chownSync, cpSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Child } from "../child.ts";
import type { Pod } from "../pod/pod.ts";

const home = "root/vm-files";

/**
 * The steps of the script that Istio's package for VMs runs as its unit. It reads the variables, redirects traffic, and
 * runs the agent as its own user.
 */
const start = `set -ea
cd /
. ./var/lib/istio/envoy/cluster.env
set +a
ISTIO_SVC_IP=\${ISTIO_SVC_IP:-$ADDRESS}
export CA_ADDR=\${CA_ADDR:-istiod.istio-system.svc:15012} PROV_CERT=./etc/certs OUTPUT_CERTS=./etc/certs
export PROXY_CONFIG="{serviceCluster: $ISTIO_SERVICE, controlPlaneAuthPolicy: MUTUAL_TLS}"
export INSTANCE_IP=$ISTIO_SVC_IP POD_NAME=vm-host POD_NAMESPACE=$ISTIO_NAMESPACE
pilot-agent istio-iptables
exec setpriv --reuid=1337 --regid=1337 --clear-groups pilot-agent proxy
`;

/** Copies the files to a machine, with their modes, as `scp -pr` does. */
export function copyToMachine(machine: Pod, folder: string): void {
  machine.files.makeFolder("root");
  const target = join(machine.files.root, home);
  cpSync(folder, target, { recursive: true });
  for (const name of readdirSync(folder)) {
    chmodSync(join(target, name), statSync(join(folder, name)).mode);
    chownSync(join(target, name), 0, 0);
  }
}

/** Runs a script as root on the machine, in the folder above the copied files. */
export async function runOnMachine(machine: Pod, script: string): Promise<void> {
  const child = await machine.startContained(["/bin/bash", "-ec", `cd /root\n${script}`], { user: 0, env: {} });
  const code = await child.exited;
  if (code !== 0) throw new Error(`${script}ended with ${code}:\n${child.log()}`);
}

/** Starts the agent with an Envoy, as the unit of Istio's package does. */
export async function startMachine(machine: Pod): Promise<Child> {
  const env = { ADDRESS: machine.address };
  return await machine.startContained(["/bin/bash", "-c", start], { user: 0, env });
}
