/** grpc-js as an xDS client, for the end-to-end tests; see `scripts/peers/protocol.ts`. */
import { register } from "@grpc/grpc-js-xds";
import { runClient } from "./client.ts";

const [role, target, ...rest] = process.argv.slice(2);
if (role === "client" && target !== undefined && rest.length === 0) {
  register();
  // Nothing in grpc-js keeps a process alive that waits for its control plane.
  const alive = setInterval(() => {}, 60_000);
  await runClient(target);
  clearInterval(alive);
} else {
  process.stderr.write("usage: main.ts client TARGET\n");
  process.exitCode = 2;
}
