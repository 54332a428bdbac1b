import { Metrics } from "../../src/admin/metrics/metrics.ts";
import { httpRoutes, metricsRoutes } from "../../src/admin/routes.ts";
import type { Addresses } from "../../src/admin/state.ts";
import { xdsServices } from "../../src/admin/xds-services.ts";
import { address } from "../../src/app/options/option-values.ts";
import { galleyDefaults, optionRows } from "../../src/app/options/options.ts";
import { discoveryServices } from "../../src/xds/services/discovery-methods.ts";
import { markdownTable } from "./table.ts";

/** The options for addresses on which a process may listen. */
export const listeners = optionRows.map(([, option]) => option).filter(({ type }) => type === address);

export function portsPage(): string {
  const rows = listeners.map(({ name, defaultText, doc }) => [`\`--${name}\``, `\`${defaultText}\``, doc]);
  const described = xdsServices.map(({ typeName }) => typeName);
  const others = discoveryServices.map(({ name }) => name).filter((name) => !described.includes(name));
  const build = { name: "", version: "", commit: "" };
  const pages = httpRoutes({ emitters: [], build, addresses: () => ({}) as Addresses, pages: [] });
  const open = [
    ...pages.filter((page) => page.open === true).map((route) => ["http", route] as const),
    ...metricsRoutes(new Metrics(), build).map((route) => ["metrics", route] as const),
  ];
  return `# Ports

Everything listens on loopback until told otherwise: \`:PORT\` is every address of the machine, port 0 is one that the
system chooses (\`/debug/addresses\` says which), \`off\` is none. \`binnacle galley\` has no xDS, and \`--mcp\` at
\`${galleyDefaults.mcp}\`. What protects each of them is in [SECURITY.md](../../SECURITY.md).

${markdownTable(["flag", "default", "what is there"], rows)}
A source that waits to be called (\`mcp+listen:\`) listens where [its URL](sources.md) says.

## gRPC services of the xDS ports

Discovery services with both of their methods, for the state of the world and for deltas.

${[...described, ...others].map((name) => `- \`${name}\`\n`).join("")}
## Pages for everybody

${markdownTable(
  ["at", "page", "description"],
  open.map(([port, { path, doc }]) => [`\`--${port}\``, `\`${path}\``, doc]),
)}
All other pages, and introspection, are [for those who run the mesh](introspection.md).
`;
}
