/**
 * A relay that names the HTTP/2 frames of both sides which decide about the life of a connection: `node frames.ts PORT
 * ADDRESS:PORT`. Prints `ready`, and then lines like `client PING`, `server PING ACK` and `server GOAWAY`.
 */
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

const prefaceBytes = 24;
const headerBytes = 9;
const pingType = 6;
const goawayType = 7;
const isAck = 1;

/** Names frames as their bytes arrive. */
function nameFrames(socket: Socket, side: "client" | "server"): void {
  let skipped = side === "client" ? prefaceBytes : 0;
  let header = Buffer.alloc(0);
  socket.on("data", (bytes: Buffer) => {
    let rest = bytes;
    while (rest.length > 0) {
      const passed = Math.min(skipped, rest.length);
      skipped -= passed;
      rest = rest.subarray(passed);
      const wanted = headerBytes - header.length;
      header = Buffer.concat([header, rest.subarray(0, wanted)]);
      rest = rest.subarray(wanted);
      if (header.length < headerBytes) return;
      const [type = 0, flags = 0] = header.subarray(3);
      skipped = header.readUIntBE(0, 3);
      header = Buffer.alloc(0);
      if (type === pingType) process.stdout.write(`${side} PING${(flags & isAck) > 0 ? " ACK" : ""}\n`);
      if (type === goawayType) process.stdout.write(`${side} GOAWAY\n`);
    }
  });
}

const [port, target = ""] = process.argv.slice(2);
const server = createServer((near) => {
  const [host = "", farPort] = target.split(":");
  const far = connect(Number(farPort), host);
  nameFrames(near, "client");
  nameFrames(far, "server");
  near.pipe(far).pipe(near);
  for (const [one, other] of [[near, far] as const, [far, near] as const]) {
    one.on("error", () => {}).on("close", () => other.destroy());
  }
});
server.listen(Number(port), "0.0.0.0");
await once(server, "listening");
process.stdout.write("ready\n");
