import { binnacle } from "../../test/e2e/support/binnacle/command.ts";
import { BinnacleProcess } from "../../test/e2e/support/binnacle/server.ts";

const anyPorts = ["--xds", "127.0.0.1:0", "--http", "127.0.0.1:0", "--metrics", "off", "--ctrlz", "off"];

/** `binnacle serve` with these arguments, once it is ready: with many services that takes longer than in tests. */
export async function startServer(args: readonly string[]): Promise<BinnacleProcess> {
  const child = binnacle("serve", ...anyPorts, ...args);
  try {
    const ready = await child.line(/^ready: .*xds 127\.0\.0\.1:(\d+), http 127\.0\.0\.1:(\d+)/, { seconds: 300 });
    return new BinnacleProcess(child, { xds: Number(ready[1]), http: Number(ready[2]), metrics: 0 });
  } catch (cause) {
    await child.stop();
    throw new Error(`binnacle did not start:\n${child.log()}`, { cause });
  }
}
