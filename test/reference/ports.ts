import { Metrics } from "../../src/admin/metrics/metrics.ts";
import { httpRoutes, metricsRoutes } from "../../src/admin/routes.ts";
import type { Addresses } from "../../src/admin/state.ts";
import { xdsServices } from "../../src/admin/xds-services.ts";
import { address } from "../../src/app/options/option-values.ts";
import { galleyDefaults, optionRows } from "../../src/app/options/options.ts";
import { discoveryServices } from "../../src/xds/services/discovery-methods.ts";
import { markdownTable } from "./table.ts";
import { Overload } from "../../src/lib/overload/overload.ts";

/** The options for addresses on which a process may listen. */
export const listeners = optionRows.map(([, option]) => option).filter(({ type }) => type === address);

export function portsPage(): string {
  const rows = listeners.map(({ name, defaultText, doc }) => [`\`--${name}\``, `\`${defaultText}\``, doc]);
  const described = xdsServices.map(({ typeName }) => typeName);
  const others = discoveryServices.map(({ name }) => name).filter((name) => !described.includes(name));
  const build = { name: "", version: "", commit: "" };
  const load = { overload: new Overload(), stalls: () => 0 };
  const pages = httpRoutes({ emitters: [], build, addresses: () => ({}) as Addresses, pages: [], ...load });
  const open = [
    ...pages.filter((page) => page.open === true).map((route) => ["http", route] as const),
    ...metricsRoutes(new Metrics(), build).map((route) => ["metrics", route] as const),
  ];
  return `# Ports

By default every port listens on loopback. \`:PORT\` listens on every address of the machine. Port 0 lets the system choose
a port (\`/debug/addresses\` shows it). \`off\` disables the port. \`binnacle galley\` has no xDS, and its \`--mcp\` is
\`${galleyDefaults.mcp}\`. [SECURITY.md](../../SECURITY.md) describes the protection of each port.

${markdownTable(["flag", "default", "description"], rows)}
A source that accepts connections (\`mcp+listen:\`) listens at the address in [its URL](sources.md).

## gRPC services of the xDS ports

Each discovery service has both methods: state of the world, and delta.

${[...described, ...others].map((name) => `- \`${name}\`\n`).join("")}
## Pages for all clients

${markdownTable(
  ["at", "page", "description"],
  open.map(([port, { path, doc }]) => [`\`--${port}\``, `\`${path}\``, doc]),
)}
All other pages, and introspection, are [for operators of the mesh](introspection.md).
`;
}
