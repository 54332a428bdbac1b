/**
 * `readers.ts ORIGIN COUNT`: open desks without a browser, until standard input ends. Each reads the live events and asks as
 * the page of its screen does. Prints the number of events and of requests.
 */
import { get } from "node:http";

interface Screen {
  readonly paths: readonly string[];
  /** The event after which the page asks again. */
  readonly after?: string;
  /** The page asks again after this time. */
  readonly everyMs?: number;
}

/** Ten operators look at all screens that follow the mesh by themselves, and three of them at the same one. */
const screens: readonly Screen[] = [
  { paths: ["/overview"] },
  { paths: ["/changes?limit=50"] },
  { paths: ["/proxies?limit=100"], after: "proxies" },
  { paths: ["/proxies?limit=100&state=behind"], after: "proxies" },
  { paths: ["/configuration?limit=100"], after: "configuration" },
  { paths: ["/mesh"], after: "configuration" },
  { paths: ["/control-plane"], everyMs: 5_000 },
];

const [origin = "", count = "10"] = process.argv.slice(2);
const counts = { events: 0, requests: 0, refused: 0 };
/** As the page does. */
const retryMs = 2_000;

function ask(path: string): void {
  counts.requests++;
  get(`${origin}/api/v1${path}`, (response) => {
    if (response.statusCode !== 200) counts.refused++;
    response.resume();
  });
}

function askAll(paths: readonly string[]): void {
  for (const path of paths) ask(path);
}

function open(screen: Screen): void {
  const { paths, after } = screen;
  askAll(paths);
  get(`${origin}/api/v1/events`, (response) => {
    if (response.statusCode !== 200) {
      counts.refused++;
      response.resume();
      setTimeout(() => open(screen), retryMs);
      return;
    }
    response.setEncoding("utf8");
    response.on("data", (text: string) => {
      for (const [, type] of text.matchAll(/^event: (.*)$/gmu)) {
        counts.events++;
        if (type === after) askAll(paths);
      }
    });
  });
}

for (let index = 0; index < Number(count); index++) {
  const screen = screens[index % screens.length];
  if (screen === undefined) continue;
  open(screen);
  if (screen.everyMs !== undefined) setInterval(askAll, screen.everyMs, screen.paths);
}
process.stdin.resume().on("end", () => {
  process.stdout.write(JSON.stringify(counts));
  process.exit();
});
