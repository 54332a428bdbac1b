import type { ListedCommand } from "./command.ts";

/** Every command, in the order of `binnacle --help`. */
export const commands: readonly ListedCommand[] = [
  {
    name: "serve",
    summary: "Serves xDS to proxies from directories of YAML. Galley and Pilot run in one process.",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "galley",
    summary:
      "Serves configuration to remote Pilots over MCP, validates objects for Kubernetes, or both. Serves no proxies.",
    load: () => import("./commands/galley.ts"),
  },
  {
    name: "pilot",
    summary: "Serves xDS to proxies from remote Galleys or any other source.",
    load: () => import("./commands/pilot.ts"),
  },
  {
    name: "validate",
    summary: "Checks files and directories of YAML and reports each problem with its place. Needs no server.",
    load: () => import("./commands/validate.ts"),
  },
  {
    name: "analyze",
    summary:
      "Analyzes a whole mesh: rules for missing services, gateways that claim the same host, policies without effect. " +
      "Uses the codes and JSON of istioctl. Needs no server, but can read from a cluster or a server.",
    load: () => import("./commands/analyze.ts"),
  },
  {
    name: "translate",
    summary: "Prints the resources that a proxy would receive, in Envoy's JSON or YAML. Needs no server.",
    load: () => import("./commands/translate.ts"),
  },
  {
    name: "explain",
    summary: "Shows where a request goes and why: each decision of the proxy, with the file and line that causes it.",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "why",
    summary:
      "Shows the lines of YAML that a field of a resource comes from, or the resources and proxies that a line reaches. " +
      "Needs no server.",
    load: () => import("./commands/why.ts"),
  },
  {
    name: "plan",
    summary:
      "Shows the effect of a change before it is applied: what each proxy is sent, which requests go elsewhere, and the " +
      "risks. Needs no server.",
    load: () => import("./commands/plan.ts"),
  },
  {
    name: "proxy-status",
    alias: "ps",
    summary:
      "Shows whether proxies are in sync and which resources they reject. For each rejected resource, shows the proxies " +
      "and the object behind it with its file and line.",
    load: () => import("./commands/proxy-status.ts"),
  },
  {
    name: "proxy-config",
    alias: "pc",
    summary:
      "Shows the resources sent to a connected proxy, with the file and line of the objects behind them. " +
      "TYPE is cluster, listener, route, endpoint, ecds, secret or all.",
    load: () => import("./commands/proxy-config.ts"),
  },
  {
    name: "sources",
    summary:
      "Shows the sources of configuration in order of precedence. For each source, shows its health, its objects, and " +
      "the objects that are unused because an earlier source has them too.",
    load: () => import("./commands/sources.ts"),
  },
  {
    name: "top",
    summary:
      "Shows a running server live: pushes per second, convergence, queue, memory, sources, and the proxies that are behind " +
      "or reject their configuration. Keys sort, filter and scroll. --once is for scripts.",
    load: () => import("./commands/top.ts"),
  },
  {
    name: "quarantine",
    summary:
      "Lists objects that are kept away from proxies that refuse them. retry tries an object on one proxy again, " +
      "release serves it to all proxies although they refuse it. OBJECT is KIND/NAMESPACE/NAME, as list prints it.",
    load: () => import("./commands/quarantine.ts"),
  },
  {
    name: "rollout",
    summary:
      "Lists changes that reach proxies in waves, and shows one of them with its events. pause, resume, abort and promote " +
      "change its way. ROLLOUT is NAMESPACE/NAME, as list prints it.",
    load: () => import("./commands/rollout.ts"),
  },
  {
    name: "ca",
    summary:
      "Shows the certificate authority of a server and the phase of its root rotation. rotate starts a rotation, advance " +
      "ends a phase early, and cancel drops a new root that does not sign yet.",
    load: () => import("./commands/ca.ts"),
  },
  {
    name: "apply",
    summary:
      "Writes objects to etcd or Kubernetes. Writes none of them if one is invalid, and skips unchanged objects. " +
      "An object with a metadata.resourceVersion replaces only that version.",
    load: () => import("./commands/apply.ts"),
  },
  {
    name: "get",
    summary:
      "Shows objects of etcd or Kubernetes as a table per kind. -o yaml prints the objects with their versions, ready " +
      "for apply.",
    load: () => import("./commands/get.ts"),
  },
  {
    name: "delete",
    summary:
      "Deletes objects from etcd or Kubernetes, by name or as listed in files. A missing object is an error if it is " +
      "given by name, but not if it is listed in a file.",
    load: () => import("./commands/delete.ts"),
  },
  {
    name: "describe",
    summary:
      "Shows one object of a running mesh: its source and its place there, the proxies that have resources made from it, " +
      "and its problems.",
    load: () => import("./commands/describe.ts"),
  },
  {
    name: "wait",
    summary:
      "Waits until every proxy that an object reaches has acknowledged its content, or until a proxy rejects it. Shows the " +
      "proxies that are missing, and why.",
    load: () => import("./commands/wait.ts"),
  },
  {
    name: "diff",
    summary:
      "Shows the differences between two meshes: objects that are added, removed or changed, with each field. A and B are " +
      "directories, a running server (server:) or two of its proxies (proxy:NODE). Secrets are not shown.",
    load: () => import("./commands/diff.ts"),
  },
  {
    name: "history",
    summary:
      "Shows the configuration that was in force at an earlier time, which a server with --history wrote: the changes, all " +
      "objects of a moment, the differences between two moments, and the change behind each line; the proxies that were " +
      "connected, and the resources of each. TIME is now, a time, 14:03, an age such as 10m, or the number of a moment. OBJECT is " +
      "KIND/NAMESPACE/NAME or PROXY, the node ID of a proxy. Needs no server.",
    load: () => import("./commands/history.ts"),
  },
  {
    name: "record",
    summary: "Prints the recording of a running server with --record, as far as it is written. For `binnacle replay`.",
    load: () => import("./commands/record.ts"),
  },
  {
    name: "replay",
    summary:
      "Repeats what a server with --record did, in the same order and with the same clock, and compares every response with " +
      "the recorded one. Names the first difference. Needs no server.",
    load: () => import("./commands/replay.ts"),
  },
  {
    name: "bootstrap",
    summary:
      "Prints a bootstrap file for a proxy or a gRPC client. With it, all configuration comes from this control plane.",
    load: () => import("./commands/bootstrap.ts"),
  },
  {
    name: "inject",
    summary: "Adds proxies to the workloads in files, as the injection webhook does. Needs no server.",
    load: () => import("./commands/inject.ts"),
  },
  {
    name: "workload",
    summary:
      "Writes the files by which a VM joins the mesh: token, root certificates and settings of its agent, for a " +
      "WorkloadGroup. Reads a cluster, a server or files.",
    load: () => import("./commands/workload.ts"),
  },
  {
    name: "fleet",
    summary:
      "Connects many virtual proxies to a server over real sockets and measures the pushes. Reports times, bytes, and " +
      "responses that were needless or out of order.",
    load: () => import("./commands/fleet.ts"),
  },
  {
    name: "probe",
    summary:
      "Checks that a server keeps its probe file up to date. For the liveness or readiness probe of a container.",
    load: () => import("./commands/probe.ts"),
  },
  {
    name: "version",
    summary: "Prints the version. With --server, also prints the version of a running server.",
    load: () => import("./commands/version.ts"),
  },
  {
    name: "completion",
    summary: "Prints a completion script for a shell. It completes commands, flags and their values.",
    load: () => import("./commands/completion.ts"),
  },
];
