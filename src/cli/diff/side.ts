import { MeshError } from "../../lib/errors.ts";

/** One of the two things that are compared, as it is written. */
export type Side =
  | { readonly type: "files"; readonly text: string; readonly path: string }
  | { readonly type: "server"; readonly text: string; readonly server: string }
  | { readonly type: "proxy"; readonly text: string; readonly node: string };

/** `server:` means the server of `--server`. */
export function sideOf(text: string, defaultServer: string): Side {
  if (text.startsWith("server:")) {
    return { type: "server", text, server: text.slice("server:".length) || defaultServer };
  }
  if (!text.startsWith("proxy:")) return { type: "files", text, path: text };
  const node = text.slice("proxy:".length);
  if (node === "") throw new MeshError("bad-option", "proxy: without a NODE; expected proxy:web-0.default");
  return { type: "proxy", text, node };
}

/** Throws `bad-option` for two sides that have nothing in common. */
export function checkSides([a, b]: readonly [Side, Side], hasNode: boolean): void {
  const proxies = [a, b].filter(({ type }) => type === "proxy").length;
  if (proxies === 1) {
    throw new MeshError("bad-option", "a proxy is compared with another proxy; compare files and a server with --node");
  }
  if (proxies === 2 && hasNode) throw new MeshError("bad-option", "--node: not with two proxies");
  if ([a, b].every((side) => side.type === "files" && side.path === "-")) {
    throw new MeshError("bad-option", "only one side can be stdin");
  }
}
