/**
 * `npm run demo`: the control plane, real workloads and real xDS clients on one machine, and where their calls go.
 * `npm run demo:envoy` is the same with real Envoys. See examples/bookinfo/README.md.
 */
import { enableCompileCache } from "node:module";

// What was compiled once is kept for the next run; it has to come before the rest.
enableCompileCache();
const { main } = await import("./demo/main.ts");
process.exitCode = await main(process.argv.slice(2));
