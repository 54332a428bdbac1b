import { recordedResults, shortened } from "../../bench/results.ts";
import { box, picture, text } from "../../site/picture/svg.ts";
import { largest } from "../../src/lib/extremes.ts";

const barWidth = 260;
const left = 190;
const rowHeight = 26;
const meshes = ["W1, JSON", "W4", "50 000 objects"];

/** CPU time and memory of starts, one row per commit and mesh. */
export function startsPicture(): string {
  const rows = meshes.flatMap((mesh) =>
    recordedResults().starts.flatMap(({ commit, rows: measured }) => {
      const found = measured.find((row) => row.mesh === mesh && row.compiledCode === "none");
      return found === undefined ? [] : [{ ...found, commit: shortened(commit) }];
    }),
  );
  const right = left + barWidth + 110;
  const parts = rows.flatMap(({ mesh, commit, cpuSeconds, peakMb }, index) => {
    const same = rows.filter((row) => row.mesh === mesh);
    const y = 40 + index * rowHeight;
    const cpuWidth = (cpuSeconds / largest(same.map((row) => row.cpuSeconds))) * barWidth;
    const memoryWidth = (peakMb / largest(same.map((row) => row.peakMb))) * barWidth;
    return [
      text(left - 10, y + 14, `${mesh}, ${commit}`, { anchor: "end" }),
      box({ x: left, y, width: Math.round(cpuWidth), height: 18, tone: "accent" }),
      text(left + cpuWidth + 6, y + 14, `${cpuSeconds.toFixed(2)} s`, { quiet: true }),
      box({ x: right, y, width: Math.round(memoryWidth), height: 18, tone: "ok" }),
      text(right + memoryWidth + 6, y + 14, `${peakMb} MB`, { quiet: true }),
    ];
  });
  const heads = [text(left, 22, "CPU time", { bold: true }), text(right, 22, "most memory", { bold: true })];
  const size = { width: right + barWidth + 90, height: 50 + rows.length * rowHeight };
  return picture({ ...size, title: "CPU time and memory of a start, by mesh and commit" }, [...heads, ...parts]);
}
