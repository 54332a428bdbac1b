/**
 * `node zookeeper-provider.ts ADDRESSES PATH`: registers a node and stays, until it is killed and its session expires,
 * as a provider's does whose machine is lost.
 */
import { ZooKeeperWriter } from "./zookeeper-writer.ts";

const [addresses = "", path = ""] = process.argv.slice(2);
const writer = await ZooKeeperWriter.connect(addresses.split(","), 1_000);
await writer.register(path);
process.stdout.write("registered\n");
