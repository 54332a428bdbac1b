import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** Passes connections on. A place is a port of the loopback interface, or a socket file. Resolves when it listens. */
export async function relay(from: number | string, to: number | string): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(placeOf(to));
    near.pipe(far).pipe(near);
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      sockets.add(one);
      one
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(one);
          other.destroy();
        });
    }
  });
  server.listen(placeOf(from));
  await once(server, "listening");
  return {
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await server[Symbol.asyncDispose]();
    },
  };
}

function placeOf(place: number | string) {
  return typeof place === "string" ? { path: place } : { port: place, host: "127.0.0.1" };
}
