/** grpc-js as an xDS client and an xDS server, for the end-to-end tests; see `scripts/peers/protocol.ts`. */
import { register } from "@grpc/grpc-js-xds";
import { runClient } from "./client.ts";
import { runServer } from "./server.ts";

register();
const [role, ...args] = process.argv.slice(2);
const [first, second] = args;
if (role === "client" && first !== undefined && args.length === 1) await runClient(first);
else if (role === "server" && first !== undefined && second !== undefined) await runServer(first, second);
else {
  process.stderr.write("usage: main.ts client TARGET | server PORT NAME\n");
  process.exitCode = 2;
}
