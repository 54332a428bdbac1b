import { stringify } from "yaml";
import { MeshError } from "../../lib/errors.ts";
import { parseAddress } from "../../transport/address.ts";
import { type Command, type DocumentedFlag, ExitCode } from "../command.ts";
import { envoyBootstrap, type SocketAddress } from "../envoy-bootstrap.ts";
import { readFlags } from "../read-flags.ts";

const flags: readonly DocumentedFlag[] = [
  {
    name: "node",
    type: "value",
    placeholder: "ID",
    doc: "who the proxy is: type~ip~name.namespace~namespace.svc.domain",
    default: "",
  },
  {
    name: "xds",
    type: "value",
    placeholder: "ADDR",
    doc: "where the control plane listens",
    default: "127.0.0.1:15010",
  },
  { name: "admin", type: "value", placeholder: "ADDR", doc: "Envoy's own admin page", default: "127.0.0.1:15000" },
  { name: "delta", type: "switch", placeholder: "", doc: "incremental xDS instead of state of the world", default: "" },
  { name: "output", short: "o", type: "value", placeholder: "json|yaml", doc: "the notation", default: "json" },
];

export const bootstrap: Command = {
  name: "bootstrap",
  usage: "envoy --node ID [flags]",
  summary: "Prints a bootstrap file with which a proxy takes everything from this control plane.",
  flags,
  examples: [
    "bootstrap envoy --node router~127.0.0.1~gw-0.istio-system~istio-system.svc.cluster.local > envoy.json",
    "bootstrap envoy --node sidecar~127.0.0.9~web-0.default~default.svc.cluster.local --delta -o yaml",
  ],
  async run(args, { print }) {
    const { positionals, switches, value } = readFlags(args, flags, ["envoy"]);
    if (positionals[0] !== "envoy") throw new MeshError("bad-option", `expected envoy, found ${positionals[0]}`);
    const file = envoyBootstrap({
      nodeId: value("node"),
      xds: socketAddress("xds", value("xds")),
      admin: socketAddress("admin", value("admin")),
      mode: switches.has("delta") ? "delta" : "sotw",
    });
    print(inNotation(file, value("output")));
    return ExitCode.ok;
  },
};

function socketAddress(flag: string, text: string): SocketAddress {
  const address = parseAddress(text);
  if (address?.type !== "tcp" || address.host === "") {
    throw new MeshError("bad-option", `--${flag}: expected HOST:PORT, found ${JSON.stringify(text)}`);
  }
  return address;
}

function inNotation(value: unknown, notation: string): string {
  if (notation === "json") return JSON.stringify(value, undefined, 2);
  if (notation === "yaml") return stringify(value, { aliasDuplicateObjects: false }).trimEnd();
  throw new MeshError("bad-option", `--output: expected json or yaml, found ${JSON.stringify(notation)}`);
}
