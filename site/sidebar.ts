/** Pages for one aim of the reader. Paths are from the root of the site, without `.md`. */
interface Group {
  readonly title: string;
  readonly pages: readonly string[];
}

export interface Section {
  readonly title: string;
  readonly groups: readonly Group[];
}

const recipes = (...names: readonly string[]) => names.map((name) => `recipes/${name}`);
const reference = (...names: readonly string[]) => names.map((name) => `reference/${name}`);

/** The order of the site. `FOLDER/*` are the pages of a folder that no group lists. */
export const sections: readonly Section[] = [
  { title: "Start", groups: [{ title: "Start here", pages: ["start", "desk", "features"] }] },
  {
    title: "Concepts",
    groups: [
      {
        title: "Concepts",
        pages: [
          "concepts/flow",
          "concepts/sources",
          "concepts/snapshots",
          "concepts/parts",
          "concepts/push",
          "concepts/subscriptions",
          "concepts/warming",
          "concepts/quarantine",
          "concepts/overload",
          "concepts/identity",
          "xds-sequences",
          "istio-map",
        ],
      },
    ],
  },
  {
    title: "How-to",
    groups: [
      {
        title: "Move to Binnacle",
        pages: recipes("replace-istiod", "vm-workloads", "coming-from-istio", "feed-istiod-from-binnacle"),
      },
      {
        title: "Install and connect",
        pages: recipes(
          "install",
          "deploy-on-kubernetes",
          "deploy-with-helm",
          "run-with-systemd",
          "inject-sidecars",
          "point-an-envoy-at-it",
          "proxyless-grpc",
          "run-galley-and-pilot-apart",
        ),
      },
      {
        title: "Choose a source",
        pages: recipes("serve-from-kubernetes", "serve-from-etcd", "serve-from-zookeeper", "serve-from-eureka"),
      },
      { title: "Steer traffic", pages: recipes("https-gateway", "patch-envoys") },
      {
        title: "Secure it",
        pages: recipes("securing-xds", "authorize-requests", "use-spire", "rotate-roots"),
      },
      {
        title: "See what happens",
        pages: recipes(
          "monitor-binnacle",
          "find-a-refused-object",
          "find-the-line-behind-a-value",
          "plan-a-change",
          "wait-until-live",
          "go-back-in-time",
          "replay-a-server",
          "roll-out-in-waves",
          "access-logs-and-traces",
          "measure-with-fleet",
        ),
      },
      {
        title: "Extend it",
        pages: [
          ...recipes("add-a-kind", "add-a-field", "add-a-source", "add-an-xds-type", "add-an-http-filter"),
          ...recipes("xds-as-a-library"),
          "examples/bookinfo",
          "examples/xds-library",
        ],
      },
      { title: "More", pages: recipes("*") },
    ],
  },
  {
    title: "Reference",
    groups: [
      { title: "Is it supported?", pages: reference("support", "kinds", "effects", "annotations", "node-metadata") },
      { title: "Settings", pages: reference("commands", "output", "flags", "sources", "ports", "limits") },
      {
        title: "Findings",
        pages: reference("issues", "analysis", "errors", "validate-differences", "envoy-constraints"),
      },
      {
        title: "Watching",
        pages: reference(
          "metrics",
          "telemetry",
          "introspection",
          "desk-api",
          "sizing",
          "performance",
          "faults",
          "quarantine",
        ),
      },
      {
        title: "Rules",
        pages: reference("galley-rules", "pilot-rules", "generators-rules", "generators-differences", "mcp-rules"),
      },
      { title: "MCP", pages: reference("mcp-differences", "mcp-old-peers") },
      { title: "More", pages: reference("*") },
    ],
  },
  {
    title: "Operations",
    groups: [
      {
        title: "Operations",
        pages: [
          "operations/calendar",
          "operations/sizing",
          "scale",
          "operations/upgrade",
          "operations/backup",
          "operations/overload",
          "operations/security-checklist",
          "operations/troubleshooting",
          "operations/alerts",
          "operations/*",
        ],
      },
    ],
  },
  {
    title: "Project",
    groups: [
      {
        title: "Project",
        pages: [
          "project/readme",
          "project/architecture",
          "project/contributing",
          "project/security",
          "project/changelog",
        ],
      },
      { title: "Decisions", pages: ["adr/index", "adr/*"] },
    ],
  },
];

export interface SidebarItem {
  readonly text: string;
  readonly link: string;
}

export interface SidebarGroup {
  readonly text: string;
  readonly items: readonly SidebarItem[];
}

/** The sidebar of each section, by the beginnings of the paths of its pages. `titles` has the titles of all pages. */
export function sidebarsOf(titles: ReadonlyMap<string, string>): Readonly<Record<string, readonly SidebarGroup[]>> {
  const rows = expanded(titles).flatMap(({ groups }) => {
    const sidebar = groups.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: titles.get(page) ?? page, link: linkTo(page) })),
    }));
    const starts = new Set(groups.flatMap(({ pages }) => pages.map((page) => `/${/^[^/]+\/?/u.exec(page)?.[0]}`)));
    return [...starts].map((start) => [start, sidebar] as const);
  });
  return Object.fromEntries(rows);
}

/** The first page of each section, for the head of the site. */
export function navigationOf(titles: ReadonlyMap<string, string>): readonly SidebarItem[] {
  return expanded(titles).map(({ title, groups }) => ({ text: title, link: linkTo(groups[0]?.pages[0] ?? "index") }));
}

/** The sections with the pages that exist. `FOLDER/*` are those of a folder that no group lists. */
function expanded(titles: ReadonlyMap<string, string>): readonly Section[] {
  const listed = new Set(sections.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages)));
  const unlisted = [...titles.keys()].filter((page) => !listed.has(page));
  const pagesOf = (page: string) =>
    page.endsWith("/*") ? unlisted.filter((each) => each.startsWith(page.slice(0, -1))) : [page];
  return sections.map(({ title, groups }) => ({
    title,
    groups: groups
      .map((group) => ({ ...group, pages: group.pages.flatMap(pagesOf).filter((page) => titles.has(page)) }))
      .filter(({ pages }) => pages.length > 0),
  }));
}

function linkTo(page: string): string {
  return `/${page.replace(/(?<=^|\/)index$/u, "")}`;
}
