/** The names of all attributes, with their meaning. */
export const attributeTable = {
  changeId: ["binnacle.change.id", "The id of the change, as the desk shows it."],
  changeObjects: ["binnacle.change.objects", "How many objects the change has."],
  changeStage: ["binnacle.change.stage", "`pushed`, or `not pushed` if no proxy needed anything from the change."],
  endpointsOnly: ["binnacle.change.endpoints_only", "Whether only endpoints changed."],
  object: ["binnacle.object", "`KIND/NAMESPACE/NAME` of the first object that changed."],
  operation: ["binnacle.object.operation", "`added`, `updated` or `removed`."],
  place: ["binnacle.object.place", "`FILE:LINE` of the object, or its path in a registry."],
  source: ["binnacle.object.source", "The source of the object, as in `--source`."],
  push: ["binnacle.push.number", "The number of the push that carried the change."],
  reasons: ["binnacle.push.reasons", "The kinds of updates in the push."],
  changes: ["binnacle.push.changes", "How many changes the push carried. Each has a trace of its own."],
  type: ["binnacle.xds.type", "`CDS`, `EDS`, `LDS`, `RDS` and so on."],
  responses: ["binnacle.push.responses", "Responses of this type that carried the push."],
  proxies: ["binnacle.push.proxies", "Proxies that got these responses, or all proxies that the push concerned."],
  resources: ["binnacle.push.resources", "Resources in these responses."],
  removed: ["binnacle.push.removed", "Names of removed resources in these responses."],
  bytes: ["binnacle.push.bytes", "Bytes of these responses, as the proxies received them."],
  acknowledged: ["binnacle.push.acknowledged", "Proxies that acknowledged all of the push."],
  rejected: ["binnacle.push.rejected", "Proxies that rejected a part of the push."],
  disconnected: ["binnacle.push.disconnected", "Proxies that disconnected before they had answered."],
  behind: ["binnacle.push.behind", "Proxies that had not answered when the trace was made, a minute after the push."],
  p50: ["binnacle.ack.p50_ms", "Median of the time from the push to the acknowledgement of a proxy."],
  p99: ["binnacle.ack.p99_ms", "The 99th percentile of the same time."],
  node: ["binnacle.proxy.node", "The node id of a proxy."],
  nodes: ["binnacle.proxy.nodes", "The node ids of the first proxies with this rejection."],
  message: ["binnacle.rejection.message", "The words of the proxy."],
  rejectedResources: ["binnacle.rejection.resources", "The rejected resources, or the suspects."],
  rejectedObjects: ["binnacle.rejection.objects", "The objects behind these resources, each with its `FILE:LINE`."],
} as const;

export type AttributeName = keyof typeof attributeTable;

/** The name of an attribute on the wire. */
export function attributeName(key: AttributeName): string {
  return attributeTable[key][0];
}

/** The spans of a trace, in the order of time. A span whose beginning is unknown is left out. */
export const spanTable = {
  change: {
    name: "change",
    parent: "",
    time: "From the edit, if it is known, to the last answer of a proxy. Its status is an error if a proxy rejected a part of it.",
    attributes: [
      "changeId",
      "changeObjects",
      "changeStage",
      "endpointsOnly",
      "object",
      "operation",
      "place",
      "source",
      "push",
      "changes",
    ],
  },
  read: {
    name: "read",
    parent: "change",
    time: "From the time of the file to its objects. Only for files that were written in the last minute.",
    attributes: [],
  },
  commit: {
    name: "commit",
    parent: "change",
    time: "From the event of the source to the commit of everything that follows from it.",
    attributes: [],
  },
  debounce: {
    name: "debounce",
    parent: "change",
    time: "From the commit to the begin of the push that contains it (`--debounce-after`, `--debounce-max`, load).",
    attributes: [],
  },
  generate: {
    name: "generate",
    parent: "change",
    time: "Captures the push context, and builds the parts that the change concerns.",
    attributes: ["push", "reasons"],
  },
  push: {
    name: "push TYPE",
    parent: "change",
    time: "From the first to the last response of a type. One span per type.",
    attributes: ["type", "responses", "proxies", "resources", "removed", "bytes"],
  },
  acknowledge: {
    name: "acknowledge",
    parent: "change",
    time: "From the push to the last answer of a proxy.",
    attributes: ["proxies", "acknowledged", "rejected", "disconnected", "behind", "p50", "p99"],
  },
  slow: {
    name: "slow proxy",
    parent: "acknowledge",
    time: "From the push to the acknowledgement of one of the five slowest proxies.",
    attributes: ["node"],
  },
  rejection: {
    name: "rejection",
    parent: "acknowledge",
    time: "From the push to the first of equal rejections. At most ten; its status is an error with the words of the proxy and the file and line of the object.",
    attributes: ["type", "proxies", "nodes", "message", "rejectedResources", "rejectedObjects"],
  },
} as const satisfies Readonly<Record<string, TracedSpan>>;

interface TracedSpan {
  readonly name: string;
  readonly parent: string;
  readonly time: string;
  readonly attributes: readonly AttributeName[];
}

/** Events of spans, for the reference. */
export const eventTable = {
  object: ["object", "change", "An object of the change. At most twenty.", ["object", "operation", "place", "source"]],
  failed: ["push failed", "debounce", "A push failed, and was tried again.", ["message"]],
} as const;
