import type { DocumentedFlag } from "../command.ts";
import { valueFlag } from "./flag.ts";

/** The server that a command queries. */
export const serverFlag: DocumentedFlag = valueFlag(
  "server",
  "ADDR",
  "The --http address of the server that the proxies are connected to. The prefix http:// is optional.",
  "127.0.0.1:8080",
);
