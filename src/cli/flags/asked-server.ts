import type { DocumentedFlag } from "../command.ts";

/** Which server to ask, for commands that need one. */
export const serverFlag: DocumentedFlag = {
  name: "server",
  type: "value",
  placeholder: "ADDR",
  doc: "the --http address of the server that the proxies are connected to",
  default: "127.0.0.1:8080",
};
