import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Pod } from "./pod.ts";

const run = promisify(execFile);
let networks = 0;

/** Pods on one bridge. */
export interface PodNetwork<Name extends string> extends AsyncDisposable {
  readonly pods: Readonly<Record<Name, Pod>>;
  /** The default route of all pods. Their files name its address as that of the DNS server. */
  readonly hub: Pod;
}

/** Network namespaces on one bridge. Their default route makes the addresses of services reachable. Needs root. */
export async function openPodNetwork<Name extends string>(...names: readonly Name[]): Promise<PodNetwork<Name>> {
  await using stack = new AsyncDisposableStack();
  const prefix = `binnacle-${process.pid}-${++networks}`;
  const hub = `${prefix}-hub`;
  await addNamespace(stack, hub);
  await ip(`-n ${hub} link add bridge type bridge`);
  await ip(`-n ${hub} addr add 10.79.0.1/24 dev bridge`);
  await ip(`-n ${hub} link set bridge up`);
  const router = stack.use(new Pod("hub", "10.79.0.1", hub));
  const pods: Partial<Record<Name, Pod>> = {};
  for (const [index, name] of names.entries()) {
    const namespace = `${prefix}-${name}`;
    const address = `10.79.0.${index + 2}`;
    await addNamespace(stack, namespace);
    await ip(`-n ${namespace} link add eth0 type veth peer name port${index} netns ${hub}`);
    await ip(`-n ${hub} link set port${index} master bridge up`);
    await ip(`-n ${namespace} addr add ${address}/24 dev eth0`);
    for (const device of ["lo", "eth0"]) await ip(`-n ${namespace} link set ${device} up`);
    await ip(`-n ${namespace} route add default via 10.79.0.1`);
    pods[name] = stack.use(new Pod(name, address, namespace));
  }
  const open = stack.move();
  return { pods: pods as Record<Name, Pod>, hub: router, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

async function addNamespace(stack: AsyncDisposableStack, name: string): Promise<void> {
  await ip(`netns add ${name}`);
  stack.defer(async () => {
    await ip(`netns del ${name}`);
  });
}

function ip(command: string) {
  return run("ip", command.split(" "));
}
