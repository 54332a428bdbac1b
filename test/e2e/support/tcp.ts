import { once } from "node:events";
import { connect, type NetConnectOpts } from "node:net";
import { text } from "node:stream/consumers";

/** Sends text as it is to a port, on loopback unless told otherwise, or a Unix socket; reads until the other side ends. */
export async function tcpAsk(to: NetConnectOpts, sent: string): Promise<string> {
  const socket = connect({ host: "127.0.0.1", ...to });
  socket.setTimeout(10_000, () => socket.destroy(new Error("no answer in 10 s")));
  await once(socket, "connect");
  socket.write(sent);
  return await text(socket);
}
