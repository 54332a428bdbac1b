import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on a free port of loopback. Resolves to the port. */
export async function listenLocally(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return portOfServer(server);
}

/** The port of a server that listens on one. */
export function portOfServer(server: Server): number {
  return (server.address() as AddressInfo).port;
}
