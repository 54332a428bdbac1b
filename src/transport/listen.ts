import type { AddressInfo, Server } from "node:net";
import { MeshError } from "../lib/errors.ts";
import { formatAddress } from "./listen-address.ts";

/**
 * Starts to listen and resolves with the bound address. Rejects with a `listen-failed` error that names the problem.
 */
export function listen(server: Server, { host, port }: { readonly host: string; readonly port: number }) {
  return new Promise<string>((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(listenError(formatAddress(host, port), error));
    server.once("error", fail);
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      server.off("error", fail);
      const bound = server.address() as AddressInfo;
      resolve(formatAddress(bound.address, bound.port));
    });
  });
}

const plainWords: ReadonlyMap<string | undefined, string> = new Map([
  ["EADDRINUSE", "is already in use"],
  ["EACCES", "may not be listened on by this user"],
  ["EADDRNOTAVAIL", "is not an address of this machine"],
  ["ENOTFOUND", "names a host that does not exist"],
]);

function listenError(address: string, error: NodeJS.ErrnoException): MeshError {
  const what = plainWords.get(error.code) ?? `cannot be listened on: ${error.message}`;
  return new MeshError("listen-failed", `${address} ${what}`, { cause: error });
}
