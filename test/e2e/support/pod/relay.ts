/** Connects a port on a pod's loopback interface to a socket file: `node relay.ts PORT FILE`. Prints `ready`. */
import { once } from "node:events";
import { connect, createServer } from "node:net";

const [port, file = ""] = process.argv.slice(2);
const server = createServer((near) => {
  const far = connect(file);
  near.pipe(far).pipe(near);
  for (const [one, other] of [[near, far] as const, [far, near] as const]) {
    one.on("error", () => {}).on("close", () => other.destroy());
  }
});
server.listen(Number(port), "127.0.0.1");
await once(server, "listening");
process.stdout.write("ready\n");
