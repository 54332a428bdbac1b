/**
 * `npm run demo`: the control plane, real workloads and real xDS clients on one machine. Shows the destinations of
 * their calls. The script `demo:envoy` does the same with real Envoys. See examples/bookinfo/README.md.
 */
import { enableCompileCache } from "node:module";

// Keeps compiled code for the next run. This must come before the other imports.
enableCompileCache();
const { main } = await import("./demo/main.ts");
process.exitCode = await main(process.argv.slice(2));
