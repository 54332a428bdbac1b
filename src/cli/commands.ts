import type { ListedCommand } from "./command.ts";

/** Every command, in the order of `binnacle --help`. */
export const commands: readonly ListedCommand[] = [
  {
    name: "serve",
    summary: "Serves proxies from directories of YAML, with Galley and Pilot in one process.",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "galley",
    summary:
      "Has configuration for Pilots elsewhere, over MCP, checks objects for Kubernetes, or both; it serves no proxies.",
    load: () => import("./commands/galley.ts"),
  },
  {
    name: "pilot",
    summary: "Serves proxies from what Galleys elsewhere have, or any other source.",
    load: () => import("./commands/pilot.ts"),
  },
  {
    name: "validate",
    summary: "Checks files and directories of YAML, and says what is wrong and where. No server is needed.",
    load: () => import("./commands/validate.ts"),
  },
  {
    name: "analyze",
    summary:
      "Looks at a mesh as a whole: rules for services that are not there, gateways that claim the same host, policies " +
      "without effect. Codes and JSON are istioctl's. No server is needed, but a cluster or a server may be asked.",
    load: () => import("./commands/analyze.ts"),
  },
  {
    name: "translate",
    summary: "Prints what a proxy would be sent, in Envoy's own notation. No server is needed.",
    load: () => import("./commands/translate.ts"),
  },
  {
    name: "explain",
    summary: "Says where a request goes, and why: each decision of the proxy with the file and line behind it.",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "proxy-status",
    summary:
      "Shows whether proxies have what they should have, and what they reject: the resource, the object behind it with " +
      "its file and line, and the proxies.",
    load: () => import("./commands/proxy-status.ts"),
  },
  {
    name: "proxy-config",
    summary: "Shows what a connected proxy was sent, and the file and line of the objects behind it.",
    load: () => import("./commands/proxy-config.ts"),
  },
  {
    name: "sources",
    summary:
      "Shows where configuration comes from, in order of precedence: how each source is, what it has, and which of its " +
      "objects are not used because a source before it has them, too.",
    load: () => import("./commands/sources.ts"),
  },
  {
    name: "apply",
    summary:
      "Writes objects to etcd or Kubernetes: all of them, or none if one is invalid. What is there already, and the same, " +
      "is left alone; an object that carries a metadata.resourceVersion replaces that version only.",
    load: () => import("./commands/apply.ts"),
  },
  {
    name: "get",
    summary:
      "Shows objects of etcd or Kubernetes: a table of those of a kind, or with -o yaml the objects with the versions " +
      "they have, as apply takes them.",
    load: () => import("./commands/get.ts"),
  },
  {
    name: "delete",
    summary:
      "Deletes objects from etcd or Kubernetes: by their names, or those that stand in some files. What stands in a file " +
      "and is not there any more is no problem; a name that is not there is one.",
    load: () => import("./commands/delete.ts"),
  },
  {
    name: "describe",
    summary:
      "Shows one object of a running mesh: which source it is from and where it stands there, which proxies have what is " +
      "made of it, and what is wrong with it.",
    load: () => import("./commands/describe.ts"),
  },
  {
    name: "bootstrap",
    summary: "Prints a bootstrap file with which a proxy, or a gRPC client, takes everything from this control plane.",
    load: () => import("./commands/bootstrap.ts"),
  },
  {
    name: "fleet",
    summary:
      "Connects many virtual proxies to a server, on real sockets, and says how it treats them: times, bytes, and whether anything that it sent was needless or out of order.",
    load: () => import("./commands/fleet.ts"),
  },
  {
    name: "probe",
    summary: "Checks that a server keeps a probe file fresh: for a container's liveness or readiness probe.",
    load: () => import("./commands/probe.ts"),
  },
  {
    name: "version",
    summary: "Prints the version.",
    load: () => import("./commands/version.ts"),
  },
];
