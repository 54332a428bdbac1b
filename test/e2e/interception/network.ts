import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { peerPath } from "../../../scripts/peer.ts";

const run = promisify(execFile);

/** The group that Envoy runs in: its connections are left alone. */
export const proxyGroup = 1337;

/** A machine of its own, as far as the network goes. */
export interface Host {
  readonly address: string;
  /** A command line that runs there. */
  inside(command: string, ...args: readonly string[]): readonly [string, ...string[]];
}

/** A workload whose connections all lead through its proxy, and another host that knows nothing of that. */
export interface Network extends AsyncDisposable {
  readonly workload: Host;
  readonly outside: Host;
}

/** All that the workload dials goes to port 15001 first, and all that is dialled there to port 15006. */
const redirection = `table ip mesh {
  chain out {
    type nat hook output priority -100;
    meta skgid ${proxyGroup} return
    ip daddr 127.0.0.0/8 return
    meta l4proto tcp redirect to :15001
  }
  chain in {
    type nat hook prerouting priority -100;
    iifname "eth0" meta l4proto tcp redirect to :15006
  }
}
`;

const hosts = { workload: "10.77.0.2", outside: "10.77.0.3" } as const;

/** Two network namespaces with a cable between them. Takes root. */
export async function openNetwork(): Promise<Network> {
  const workload = namespaceOf("workload");
  const outside = namespaceOf("outside");
  const remove = async () => {
    for (const name of [workload, outside]) await ip(`netns del ${name}`).catch(() => {});
  };
  try {
    for (const name of [workload, outside]) await ip(`netns add ${name}`);
    await ip(`-n ${workload} link add eth0 type veth peer name eth0 netns ${outside}`);
    await ip(`-n ${workload} addr add ${hosts.workload}/24 dev eth0`);
    await ip(`-n ${outside} addr add ${hosts.outside}/24 dev eth0`);
    for (const name of [workload, outside]) {
      for (const device of ["lo", "eth0"]) await ip(`-n ${name} link set ${device} up`);
    }
    // Addresses of services belong to nobody; without some way there, nobody would even ask for the redirection.
    await ip(`-n ${workload} route add default via ${hosts.outside}`);
    await run("ip", ["netns", "exec", workload, await peerPath("nft"), redirection]);
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  return { workload: hostOf("workload"), outside: hostOf("outside"), [Symbol.asyncDispose]: remove };
}

function namespaceOf(host: keyof typeof hosts): string {
  return `binnacle-${process.pid}-${host}`;
}

function hostOf(host: keyof typeof hosts): Host {
  const inside = ["ip", "netns", "exec", namespaceOf(host)] as const;
  return { address: hosts[host], inside: (command, ...args) => [...inside, command, ...args] };
}

function ip(command: string) {
  return run("ip", command.split(" "));
}
