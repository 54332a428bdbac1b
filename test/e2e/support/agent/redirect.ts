import type { Pod } from "../pod/pod.ts";

/** The arguments that Istio's injection gives to its init container. */
const args = "-p 15001 -z 15006 -u 1337 -m REDIRECT -i * -x  -b * -d 15090,15021,15020 --log_output_level=default:info";

/** Redirects the pod's connections to its sidecar, with the rules of Istio's own init container. */
export async function redirectByAgent(pod: Pod, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const command = ["/usr/local/bin/pilot-agent", "istio-iptables", ...args.split(" ")];
  const child = await pod.startContained(command, { user: 0, env });
  const code = await child.exited;
  if (code !== 0) throw new Error(`istio-iptables ended with ${code}:\n${child.log()}`);
}
