/** Relays in the network of a pod: `node relay-process.ts FROM TO`. Each is a port or a socket file. Prints `ready`. */
import { relay } from "./relay.ts";

const [from, to] = process.argv.slice(2).map((place) => (/^\d+$/u.test(place) ? Number(place) : place));
if (from === undefined || to === undefined) throw new Error("two places are needed");
await relay(from, to);
process.stdout.write("ready\n");
