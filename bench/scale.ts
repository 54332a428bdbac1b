import buildCommand from "../test/e2e/support/binnacle/build-command.ts";

const defaultProxies = 400;

/**
 * Four servers on one etcd, and a fleet that a balancer spreads over them: delta sidecars that see all services of W1. An
 * object is edited, then every proxy connects again to the next server, then one server ends and its proxies move. `npm run
 * bench -- scale 400` sets the number of proxies. CPU is that of the servers' processes.
 */
export async function scale(): Promise<string> {
  const removeBuilt = await buildCommand();
  try {
    // After the build: it starts the built command.
    const { simulate } = await import("./scale/simulation.ts");
    return await simulate(Number(process.argv[3] ?? defaultProxies));
  } finally {
    removeBuilt();
  }
}
