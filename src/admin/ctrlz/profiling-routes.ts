import { type PageAnswer, type Route, text } from "../route.ts";
import type { Profiler } from "./profiler.ts";

const usualSeconds = 30;
const mostSeconds = 60;

const heapRefusal =
  "refused: this process holds private keys, and memory must not leave it; start it with --exclude Secret and --ca off to profile its heap";

/** Profiles to download, for the developer tools of a browser or of an editor. The paths are those of Go's pprof. */
export function profilingRoutes(
  profiler: Pick<Profiler, "cpu" | "heap">,
  holdsSecrets: () => boolean,
): readonly Route[] {
  const cpu: Route = {
    path: "/debug/pprof/profile",
    doc: `a CPU profile (.cpuprofile) of the next ?seconds=N; default ${usualSeconds}, maximum ${mostSeconds}`,
    async answer(query) {
      const seconds = Number(query.get("seconds") ?? usualSeconds);
      if (!(seconds > 0)) return text("seconds: expected a number above zero", 400);
      const profile = await profiler.cpu(Math.min(seconds, mostSeconds) * 1000);
      return profile === undefined
        ? text("another profile is running: only one can run at a time", 409)
        : download(profile, "cpuprofile");
    },
  };
  const heap: Route = {
    path: "/debug/pprof/heap",
    doc: "a heap profile (.heapprofile) of live objects, by allocating function",
    async answer() {
      if (holdsSecrets()) return text(heapRefusal, 403);
      return download(await profiler.heap(), "heapprofile");
    },
  };
  const index: Route = {
    path: "/debug/pprof/",
    doc: "profiles to download",
    answer: () => text([cpu, heap].map(({ path, doc }) => `${path}  ${doc}`).join("\n")),
  };
  return [index, cpu, heap];
}

function download(profile: object, extension: string): PageAnswer {
  const headers = { "content-disposition": `attachment; filename="binnacle.${extension}"` };
  return { status: 200, contentType: "application/json", body: JSON.stringify(profile), headers };
}
